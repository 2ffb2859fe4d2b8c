import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { control } from '../../../api/clients.ts';
import { Answer, Empty } from '../../../ui/answers.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { useShortcuts } from '../../../ui/keys.ts';
import { Menu } from '../../../ui/menu.tsx';
import { Page } from '../../../ui/page.tsx';
import { Ago } from '../../../ui/time.tsx';
import { cursorList } from '../endless-list.ts';
import { EndlessTable } from '../endless-table.tsx';
import { CredentialForm, type Integration, NewIntegration } from './integration-forms.tsx';
import {
  IntegrationSecret,
  RemoveIntegration,
  RenameIntegration,
  RotateSecret,
} from './integration-changes.tsx';
import { HowToFill } from '../../../ui/how-to-fill.tsx';
import { fillingLines } from '../../../words/filling-lines.ts';

type Overlay =
  | { readonly kind: 'new' }
  | {
      readonly kind: 'credential' | 'remove' | 'rename' | 'secret' | 'test';
      readonly integration: Integration;
    };

const integrationsQuery = cursorList(['integrations', 'list'], control.listIntegrations);

/** Lists by what private repositories are fetched, and pushes are heard of. */
export function IntegrationsPage() {
  const [overlay, setOverlay] = useState<Overlay>();
  const [made, setMade] = useState<Integration>();
  const close = () => setOverlay(undefined);
  const add = () => setOverlay({ kind: 'new' });
  useShortcuts([{ key: 'n', does: 'Add an integration', needs: 'deployments:admin', run: add }]);
  return (
    <Page
      title="Integrations"
      filled
      actions={
        <Button look="main" needs="deployments:admin" onClick={add}>
          <Icon name="plus" /> Add an integration
        </Button>
      }
    >
      <EndlessTable
        label="Integrations"
        of={integrationsQuery}
        columns={columns(setOverlay)}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No git host is connected">
            <p>
              An integration fetches private repositories, and deploys on a push. Public repositories need
              none.
            </p>
            <HowToFill
              needs="deployments:admin"
              button="Add an integration"
              label="Connect a git host"
              line={fillingLines.integration(location.origin)}
            />
          </Empty>
        }
      />
      {overlay?.kind === 'new' && <NewIntegration onClose={close} onMade={setMade} />}
      {overlay !== undefined && overlay.kind !== 'new' && (
        <Changes overlay={overlay} onClose={close} onMade={setMade} />
      )}
      {made && <IntegrationSecret integration={made} onClose={() => setMade(undefined)} />}
    </Page>
  );
}

interface ChangesProps {
  readonly overlay: Exclude<Overlay, { readonly kind: 'new' }>;
  readonly onClose: () => void;
  readonly onMade: (integration: Integration) => void;
}

function Changes({ overlay: { kind, integration }, onClose, onMade }: ChangesProps) {
  const props = { integration, onClose, onMade };
  const forms: Readonly<Record<typeof kind, () => ReactNode>> = {
    credential: () => <CredentialForm {...props} />,
    remove: () => <RemoveIntegration {...props} />,
    rename: () => <RenameIntegration {...props} />,
    secret: () => <RotateSecret {...props} />,
    test: () => <TestIntegration {...props} />,
  };
  return forms[kind]();
}

const credentialWords = {
  token: 'a token',
  ssh_key: 'an SSH key',
  github_app: 'a GitHub App',
} as const;

const columns = (show: (overlay: Overlay) => void): readonly Column<Integration>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(8rem, 1fr)',
    cell: ({ name }) => name,
    sort: ({ name }) => name,
  },
  { id: 'host', header: 'Host', width: 'minmax(9rem, 1fr)', cell: ({ host, kind }) => `${host} (${kind})` },
  {
    id: 'credential',
    header: 'Fetches by',
    width: 'minmax(9rem, 1fr)',
    cell: ({ credential }) =>
      credential === null ? (
        <span className="text-quiet">nothing; hears of pushes</span>
      ) : (
        <span title={credential.fingerprint}>{credentialWords[credential.kind]}</span>
      ),
  },
  {
    id: 'webhook',
    header: 'Address for the host’s webhook',
    width: 'minmax(12rem, 2fr)',
    cell: ({ webhook_url, name }) => (
      <span className="flex items-center gap-1">
        <code className="truncate text-xs">{webhook_url}</code>
        <CopyButton text={webhook_url} label={`Copy the webhook address of ${name}`} />
      </span>
    ),
  },
  {
    id: 'heard',
    header: 'Last push',
    width: '7rem',
    cell: ({ webhook_received_at }) => <Ago at={webhook_received_at} />,
  },
  {
    id: 'actions',
    header: '',
    width: '3rem',
    cell: (integration) => <Actions integration={integration} onShow={show} />,
  },
];

interface ActionsProps {
  readonly integration: Integration;
  readonly onShow: (overlay: Overlay) => void;
}

const actions = [
  { label: 'Test', kind: 'test', needs: 'deployments:read' },
  { label: 'Rename', kind: 'rename', needs: 'deployments:admin' },
  { label: 'Replace the credential', kind: 'credential', needs: 'deployments:admin' },
  { label: 'New webhook secret', kind: 'secret', needs: 'deployments:admin' },
  { label: 'Remove', kind: 'remove', needs: 'deployments:admin', danger: true },
] as const;

const Actions = ({ integration, onShow }: ActionsProps) => (
  <Menu
    label={`Actions of ${integration.name}`}
    items={actions.map(({ kind, ...item }) => ({ ...item, onSelect: () => onShow({ kind, integration }) }))}
  />
);

interface TestIntegrationProps {
  readonly integration: Integration;
  readonly onClose: () => void;
}

/** Asks the host which repositories it answers. */
function TestIntegration({ integration: { id, name, host }, onClose }: TestIntegrationProps) {
  const repositories = useQuery({
    queryKey: ['repositories', id],
    queryFn: ({ signal }) => control.listGitRepositories({ params: { integration_id: id }, signal }),
    retry: false,
    staleTime: 0,
  });
  return (
    <Dialog title={`What ${name} reaches`} isOpen onClose={onClose}>
      <Answer of={repositories}>
        {(found) => (
          <div className="flex flex-col gap-2">
            <p>
              {host} answers with {found.length} {found.length === 1 ? 'repository' : 'repositories'}.
            </p>
            <ul className="max-h-80 overflow-y-auto">
              {found.map(({ id: repository, owner, name: title, default_branch }) => (
                <li key={repository}>
                  {owner}/{title} <span className="text-quiet">({default_branch})</span>
                </li>
              ))}
            </ul>
          </div>
        )}
      </Answer>
    </Dialog>
  );
}
