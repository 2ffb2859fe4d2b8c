import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { control } from '../../api/clients.ts';
import type { Deployment } from '../../api/deployments.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { mayDo } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { control as controlLook } from '../../ui/fields.tsx';
import { Card } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { say } from '../../ui/toasts.tsx';
import { DeploymentFrame } from './deployment-frame.tsx';
import { refreshDeployments } from './deployment-queries.ts';
import {
  editFault,
  editedEnvironment,
  type EnvironmentEdit,
  isEdited,
  keptVariable,
  NO_EDIT,
} from './environment-rules.ts';
import { Fault } from './fault.tsx';
import { VariableRows } from './variable-rows.tsx';

/** The variables of a deployment. Their values are never shown: they are set, replaced or removed. */
export function EnvironmentPage() {
  const { deployment: id = '' }: { readonly deployment?: string } = useParams({ strict: false });
  return <DeploymentFrame id={id}>{(deployment) => <Environment deployment={deployment} />}</DeploymentFrame>;
}

function Environment({ deployment }: { readonly deployment: Deployment }) {
  const { id, name, secret_references } = deployment;
  const present = deployment.secrets.map((secret) => secret.name);
  const [edit, setEdit] = useState(NO_EDIT);
  const [state, setState] = useState<{ readonly busy: boolean; readonly fault?: string }>({ busy: false });
  const client = useQueryClient();
  const go = useGo();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const fault = editFault(edit);
    if (fault !== undefined) return setState({ busy: false, fault });
    setState({ busy: true });
    try {
      await saveEnvironment(id, { present, edit });
      setEdit(NO_EDIT);
      await refreshDeployments(client);
      say({ text: `A revision of ${name} with the new environment is on its way.` });
      go(at.deployment(id));
    } catch (error) {
      setState({ busy: false, fault: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <form onSubmit={(event) => void save(event)} className="flex max-w-3xl flex-col gap-4">
      <Card title="Variables">
        <p className="pb-3 text-quiet">
          Values are kept sealed, and shown nowhere. Saving makes a revision: nothing is built, and what
          serves goes on until the new one answers.
        </p>
        {present.length === 0 && <p className="pb-3">There are no variables yet.</p>}
        <ul className="divide-y divide-line">
          {present.map((variable) => (
            <PresentVariable key={variable} name={variable} edit={edit} onChange={setEdit} />
          ))}
        </ul>
        {(secret_references ?? []).map(({ name: variable, secret_name, secret_key }) => (
          <p key={variable} className="border-t border-line py-2">
            <span className="font-mono">{variable}</span>{' '}
            <span className="text-quiet">
              from the secret {secret_name}, key {secret_key}, of the cluster
            </span>
          </p>
        ))}
        {mayDo('deployments:write') && (
          <div className="border-t border-line pt-3">
            <VariableRows variables={edit.added} onChange={(added) => setEdit({ ...edit, added })} />
          </div>
        )}
      </Card>
      {state.fault !== undefined && <Fault>{state.fault}</Fault>}
      <div className="flex gap-2">
        <Button
          type="submit"
          look="main"
          needs="deployments:write"
          disabled={state.busy}
          because={isEdited(edit) ? undefined : 'Nothing is changed yet'}
        >
          {state.busy ? 'One moment …' : 'Save and deploy'}
        </Button>
        {isEdited(edit) && <Button onClick={() => setEdit(NO_EDIT)}>Discard the changes</Button>}
      </div>
    </form>
  );
}

interface PresentVariableProps {
  readonly name: string;
  readonly edit: EnvironmentEdit;
  readonly onChange: (edit: EnvironmentEdit) => void;
}

function PresentVariable({ name, edit, onChange }: PresentVariableProps) {
  const { replaced, removed } = edit;
  const value = replaced[name];
  const isRemoved = removed.includes(name);
  const without = Object.fromEntries(Object.entries(replaced).filter(([key]) => key !== name));
  const keep = () => onChange({ ...edit, replaced: without, removed: removed.filter((one) => one !== name) });
  const isKept = value === undefined && !isRemoved;
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-2 py-1.5">
      <span className={`min-w-40 font-mono wrap-anywhere ${isRemoved ? 'text-quiet line-through' : ''}`}>
        {name}
      </span>
      {isRemoved && <Badge tone="warn">will be removed</Badge>}
      {value !== undefined && (
        <input
          type="password"
          autoComplete="new-password"
          aria-label={`New value of ${name}`}
          placeholder="New value"
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- it appears because one asked to type into it
          autoFocus
          value={value}
          onChange={(event) => onChange({ ...edit, replaced: { ...replaced, [name]: event.target.value } })}
          className={`${controlLook} max-w-80 flex-1`}
        />
      )}
      {isKept && <span className="flex-1 text-quiet">kept as it is</span>}
      <span className="ml-auto flex gap-2">
        {isKept ? (
          <>
            <Button
              small
              needs="deployments:write"
              aria-label={`Replace ${name}`}
              onClick={() => onChange({ ...edit, replaced: { ...replaced, [name]: '' } })}
            >
              Replace
            </Button>
            <Button
              small
              look="danger"
              needs="deployments:write"
              aria-label={`Remove ${name}`}
              onClick={() => onChange({ ...edit, removed: [...removed, name] })}
            >
              Remove
            </Button>
          </>
        ) : (
          <Button small aria-label={`Keep ${name}`} onClick={keep}>
            Keep
          </Button>
        )}
      </span>
    </li>
  );
}

interface EnvironmentChange {
  readonly present: readonly string[];
  readonly edit: EnvironmentEdit;
}

/** An empty list means "unchanged" to the API, so the last variable is removed by itself. */
async function saveEnvironment(deployment_id: string, { present, edit }: EnvironmentChange): Promise<void> {
  const params = { deployment_id };
  const secrets = editedEnvironment(present, edit);
  if (secrets.length > 0) return void (await control.patchDeployment({ params, body: { secrets } }));
  const [last, ...others] = present;
  if (last === undefined) return;
  if (others.length > 0) await control.patchDeployment({ params, body: { secrets: [keptVariable(last)] } });
  await control.deleteSecret({ params: { deployment_id, name: last } });
}
