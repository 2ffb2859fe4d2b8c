import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { control } from '../../api/clients.ts';
import type { Deployment } from '../../api/deployments.ts';
import { at } from '../../router/addresses.ts';
import { mayDo } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/fields.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Card, Facts } from '../../ui/page.tsx';
import { say } from '../../ui/toasts.tsx';
import { DeleteDialog } from './deployment-actions.tsx';
import { DeploymentFrame } from './deployment-frame.tsx';
import { refreshDeployments } from './deployment-queries.ts';
import { Fault } from './fault.tsx';
import { useForm } from './form.ts';
import { integrationsQuery } from './new-queries.ts';
import {
  changedFields,
  patchOf,
  presentValues,
  settings,
  settingsOf,
  type Values,
} from './settings-rules.ts';
import { sourceWord, textField } from './source-rules.ts';

/** What of a deployment can be changed, but for its environment and resources. */
export function SettingsPage() {
  const { deployment: id = '' }: { readonly deployment?: string } = useParams({ strict: false });
  return (
    <DeploymentFrame id={id}>
      {(deployment) => (
        <div className="flex max-w-3xl flex-col gap-4">
          <Settings deployment={deployment} />
          <Card title="What never changes">
            <Unchangeable deployment={deployment} />
          </Card>
          <Removal deployment={deployment} />
        </div>
      )}
    </DeploymentFrame>
  );
}

function Settings({ deployment }: { readonly deployment: Deployment }) {
  const client = useQueryClient();
  const [edited, setEdited] = useState<Values>({});
  const shown = settingsOf(deployment.source);
  const present = presentValues(deployment);
  const values = { ...present, ...edited };
  const changed = changedFields(present, values);
  const deploys = changed.some((field) => settings.find((one) => one.field === field)?.deploys === true);
  const { busy, faults, submit } = useForm({
    fields: shown.map(({ field }) => field),
    onSubmit: async () => {
      await control.patchDeployment({
        params: { deployment_id: deployment.id },
        body: patchOf(present, values),
      });
      await refreshDeployments(client);
      setEdited({});
      say({ text: deploys ? 'Saved; a revision is on its way.' : 'Saved.' });
    },
  });
  const mayWrite = mayDo('deployments:write');
  const change = (field: string, value: string | boolean) => setEdited({ ...edited, [field]: value });
  return (
    <form onSubmit={submit}>
      <Card title="Settings">
        <div className="flex flex-col gap-4">
          {shown.map(({ field, label, hint, kind }) =>
            kind === 'check' ? (
              <CheckField
                key={field}
                label={label}
                hint={faults.fields[field] ?? hint}
                disabled={!mayWrite}
                checked={values[field] === true}
                onChange={(event) => change(field, event.target.checked)}
              />
            ) : (
              <TextField
                key={field}
                label={label}
                hint={hint}
                fault={faults.fields[field]}
                disabled={!mayWrite}
                value={String(values[field])}
                onChange={(event) => change(field, event.target.value)}
              />
            ),
          )}
          {faults.rest !== undefined && <Fault>{faults.rest}</Fault>}
          <div>
            <Button
              type="submit"
              look="main"
              needs="deployments:write"
              disabled={busy}
              because={changed.length === 0 ? 'Nothing is changed yet' : undefined}
            >
              {deploys ? 'Save and deploy' : 'Save'}
            </Button>
          </div>
        </div>
      </Card>
    </form>
  );
}

function Unchangeable({ deployment }: { readonly deployment: Deployment }) {
  const { name, source, source_config, url, tracer_session_id } = deployment;
  const integration_id = textField(source_config, 'integration_id');
  const integrations = useQuery({ ...integrationsQuery, enabled: integration_id !== undefined });
  const integration = integrations.data?.find(({ id }) => id === integration_id);
  return (
    <Facts
      facts={[
        ['Name', name],
        ['Source', sourceWord(source)],
        ...given('Repository', textField(source_config, 'repo_url')),
        ...given('Integration', integration_id && (integration?.name ?? integration_id)),
        ...given('Template', textField(source_config, 'template_id')),
        ['Address', url ?? 'none yet'],
        [
          'Traces',
          tracer_session_id === null ? (
            'deleted'
          ) : (
            <GoTo key="project" target={at.project(tracer_session_id)}>
              its project
            </GoTo>
          ),
        ],
      ]}
    />
  );
}

const given = (name: string, value: string | undefined) =>
  value === undefined ? [] : [[name, value] as const];

function Removal({ deployment }: { readonly deployment: Deployment }) {
  const [isOpen, setOpen] = useState(false);
  if (!mayDo('deployments:admin')) return null;
  return (
    <Card title="Delete">
      <p className="pb-3 text-quiet">It stops, and rests in the bin, from which it can be restored.</p>
      <Button look="danger" needs="deployments:admin" onClick={() => setOpen(true)}>
        Delete {deployment.name}
      </Button>
      {isOpen && <DeleteDialog deployment={deployment} isOpen onClose={() => setOpen(false)} />}
    </Card>
  );
}
