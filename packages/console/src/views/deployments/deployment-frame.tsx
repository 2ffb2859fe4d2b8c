import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Deployment } from '../../api/deployments.ts';
import { at } from '../../router/addresses.ts';
import { Answer } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { GoTo } from '../../ui/link.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page, TabLinks } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { useGo } from '../../router/go.ts';
import { mayDo } from '../../session/session.ts';
import { servingState, slugOf } from '../../words/state-rules.ts';
import { DeleteDialog, RedeployDialog } from './deployment-actions.tsx';
import { deploymentQuery } from './deployment-queries.ts';

interface DeploymentFrameProps {
  readonly id: string;
  /** What the title is of, where it is a part of the deployment. */
  readonly title?: string | undefined;
  readonly filled?: boolean;
  readonly children: (deployment: Deployment) => ReactNode;
}

/** What all pages of a deployment have: its name and state, what one can do, and the way to its other pages. */
export function DeploymentFrame({ id, title, filled = false, children }: DeploymentFrameProps) {
  const deployment = useQuery(deploymentQuery(id));
  const { data } = deployment;
  const name = data?.display_name ?? data?.name;
  const state = data && servingState(data);
  return (
    <Page
      title={title ?? name ?? 'Deployment'}
      filled={filled}
      above={[
        { label: 'Deployments', target: at.deployments() },
        ...(title !== undefined && name !== undefined ? [{ label: name, target: at.deployment(id) }] : []),
      ]}
      beside={
        state && (
          <Badge tone={state.tone} title={data.status}>
            {state.word}
          </Badge>
        )
      }
      actions={data && <Actions deployment={data} />}
      tabs={<Tabs id={id} />}
    >
      <Answer of={deployment}>{children}</Answer>
    </Page>
  );
}

const Tabs = ({ id }: { readonly id: string }) => (
  <TabLinks
    label="Deployment"
    tabs={[
      { label: 'Revisions', target: at.deployment(id) },
      { label: 'Logs', target: at.deploymentPart(id, 'logs') },
      { label: 'Environment', target: at.deploymentPart(id, 'environment') },
      { label: 'Resources', target: at.deploymentPart(id, 'resources') },
      { label: 'Settings', target: at.deploymentPart(id, 'settings') },
    ]}
  />
);

const button =
  'inline-flex min-h-8 items-center gap-1.5 rounded-md border border-line bg-card px-3 py-1 font-medium hover:bg-sunk';

function Actions({ deployment }: { readonly deployment: Deployment }) {
  const [open, setOpen] = useState<'redeploy' | 'delete'>();
  const go = useGo();
  const { id, url, tracer_session_id } = deployment;
  const slug = slugOf(url);
  const close = () => setOpen(undefined);
  useShortcuts([
    { key: 'r', does: 'Deploy again', needs: 'deployments:write', run: () => setOpen('redeploy') },
    { key: 'l', does: 'Look at the logs', run: () => go(at.deploymentPart(id, 'logs')) },
  ]);
  return (
    <>
      {slug !== undefined && mayDo('agents:invoke') && (
        <GoTo target={at.talk(slug)} className={button}>
          <Icon name="talk" /> Talk
        </GoTo>
      )}
      {tracer_session_id !== null && (
        <>
          <GoTo target={at.project(tracer_session_id)} className={button}>
            <Icon name="trace" /> Traces
          </GoTo>
          <GoTo target={at.monitoring({ deployment: id })} className={button}>
            <Icon name="chart" /> Monitoring
          </GoTo>
        </>
      )}
      <Button look="main" needs="deployments:write" onClick={() => setOpen('redeploy')}>
        Deploy again
      </Button>
      <Menu
        label="More actions"
        items={[
          { label: 'Delete', danger: true, needs: 'deployments:admin', onSelect: () => setOpen('delete') },
        ]}
      />
      {open === 'redeploy' && <RedeployDialog deployment={deployment} isOpen onClose={close} />}
      {open === 'delete' && <DeleteDialog deployment={deployment} isOpen onClose={close} />}
    </>
  );
}
