import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { agentAt, control } from '../../api/clients.ts';
import type { Deployment } from '../../api/deployments.ts';
import { mayDo } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Card, Facts } from '../../ui/page.tsx';
import { say } from '../../ui/toasts.tsx';
import { Ago } from '../../ui/time.tsx';
import { slugOf } from '../../words/state-rules.ts';
import { DeploymentFrame } from './deployment-frame.tsx';
import { refreshDeployments } from './deployment-queries.ts';
import { Fault } from './fault.tsx';
import { useForm } from './form.ts';
import { listenersQuery } from './new-queries.ts';
import { amounts, amountsOf, figuresOf, specWith } from './resource-rules.ts';
import { textField } from './source-rules.ts';

/** What a deployment may use, where it runs, and what it has there now. */
export function ResourcesPage() {
  const { deployment: id = '' }: { readonly deployment?: string } = useParams({ strict: false });
  return (
    <DeploymentFrame id={id}>
      {(deployment) => (
        <div className="grid items-start gap-4 xl:grid-cols-2">
          <Amounts deployment={deployment} />
          <div className="flex flex-col gap-4">
            <Hosts deployment={deployment} />
            <Place deployment={deployment} />
          </div>
        </div>
      )}
    </DeploymentFrame>
  );
}

function Amounts({ deployment }: { readonly deployment: Deployment }) {
  const spec = deployment.source_config['resource_spec'] as Readonly<Record<string, unknown>> | null;
  const isChangeable = deployment.source.startsWith('external_');
  const known = new Set<string>(amounts.map(({ name }) => name));
  const rest = Object.fromEntries(
    Object.entries(spec ?? {}).filter(([name, value]) => !known.has(name) && value !== null),
  );
  return (
    <Card title="Resources">
      {isChangeable ? (
        <AmountsForm deployment={deployment} spec={spec} />
      ) : (
        <p className="text-quiet">
          Amounts can be set for images. What is built from source gets what its listener gives each agent.
        </p>
      )}
      {Object.keys(rest).length > 0 && (
        <div className="pt-4">
          <JsonView value={rest} label="Other resources" />
        </div>
      )}
    </Card>
  );
}

interface AmountsFormProps {
  readonly deployment: Deployment;
  readonly spec: Readonly<Record<string, unknown>> | null;
}

const fieldOf = (name: string) => `source_config.resource_spec.${name}`;

function AmountsForm({ deployment, spec }: AmountsFormProps) {
  const client = useQueryClient();
  const [edited, setEdited] = useState<Readonly<Record<string, string>>>({});
  const values = { ...amountsOf(spec), ...edited };
  const { busy, faults, submit } = useForm({
    fields: amounts.map(({ name }) => fieldOf(name)),
    onSubmit: async () => {
      await control.patchDeployment({
        params: { deployment_id: deployment.id },
        body: { source_config: { resource_spec: specWith(spec, edited) } },
      });
      await refreshDeployments(client);
      setEdited({});
      say({ text: 'A revision with the new resources is on its way.' });
    },
  });
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div className="grid gap-3 sm:grid-cols-2">
        {amounts.map(({ name, label, unit }) => (
          <TextField
            key={name}
            label={label}
            hint={unit}
            fault={faults.fields[fieldOf(name)]}
            inputMode="decimal"
            placeholder="default"
            disabled={!mayDo('deployments:write')}
            value={values[name] ?? ''}
            onChange={(event) => setEdited({ ...edited, [name]: event.target.value })}
          />
        ))}
      </div>
      {faults.rest !== undefined && <Fault>{faults.rest}</Fault>}
      <div>
        <Button
          type="submit"
          look="main"
          needs="deployments:write"
          disabled={busy}
          because={Object.keys(edited).length === 0 ? 'Nothing is changed yet' : undefined}
        >
          Save and deploy
        </Button>
      </div>
    </form>
  );
}

/** The figures that the agent server tells of itself. */
function Hosts({ deployment: { id, url, active_revision_id } }: { readonly deployment: Deployment }) {
  const slug = slugOf(url);
  const metrics = useQuery({
    queryKey: ['deployments', id, 'metrics'],
    queryFn: async ({ signal }) => {
      const answer = agentAt(slug ?? '').readMetrics({ query: { format: 'json' }, signal });
      return figuresOf(await answer);
    },
    enabled: slug !== undefined && active_revision_id !== null && mayDo('agents:invoke'),
    refetchInterval: 5000,
    retry: false,
    meta: { silent: true },
  });
  return (
    <Card title="Now">
      {metrics.data === undefined ? (
        <p className="text-quiet">
          {metrics.error === null
            ? 'Figures come here while a revision serves.'
            : `It tells no figures: ${metrics.error.message}`}
        </p>
      ) : (
        <Facts facts={metrics.data.map(({ label, value }) => [label, value] as const)} />
      )}
    </Card>
  );
}

/** Where it runs. Which listener has a deployment is told for images only; else it is the one that builds. */
function Place({ deployment }: { readonly deployment: Deployment }) {
  const { data: listeners = [] } = useQuery(listenersQuery);
  const named = textField(deployment.source_config, 'listener_id');
  const candidates = named === undefined ? listeners : listeners.filter(({ id }) => id === named);
  const [listener, ...others] = candidates;
  return (
    <Card title="Where it runs">
      {listener === undefined || others.length > 0 ? (
        <p className="text-quiet">
          {others.length > 0
            ? 'One of the listeners of this workspace runs it.'
            : 'No listener is known here.'}
        </p>
      ) : (
        <Facts
          facts={[
            ['Listener', `${listener.compute_id} (${listener.compute_type})`],
            ['Isolation', listener.isolation],
            ['Limits', limits[listener.resource_limits]],
            ['Version', listener.version ?? 'not told'],
            ['Heard of', <Ago key="seen" at={listener.last_seen_at} />],
          ]}
        />
      )}
    </Card>
  );
}

const limits = {
  cgroup: 'held by the kernel',
  watch: 'held by watching',
  none: 'none',
} as const;
