import { useState } from 'react';
import { control } from '../../../api/clients.ts';
import { Snippet } from '../../../ui/copy.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { SelectField, TextField } from '../../../ui/fields.tsx';
import { SecretDialog } from '../../../ui/secret-dialog.tsx';
import { useChange } from '../use-change.ts';
import { environmentLines, joinLine } from './join-rules.ts';

export interface JoinedListener {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly agent_url: string;
}

const kinds = [
  ['cluster', 'A Kubernetes cluster'],
  ['container', 'Containers of a machine'],
  ['process', 'Processes of a machine'],
] as const;
type Kind = (typeof kinds)[number][0];

interface NewListenerProps {
  readonly onClose: () => void;
  readonly onJoined: (joined: JoinedListener) => void;
}

export function NewListener({ onClose, onJoined }: NewListenerProps) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('cluster');
  const [agent_url, setAgentUrl] = useState('https://agents.example.com/agents/{slug}');
  const [namespace, setNamespace] = useState('roadstead');
  const change = useChange();
  const register = async () => {
    if (!agent_url.includes('{slug}')) throw new Error('The address of its agents must hold {slug}.');
    const { id, key } = await control.createListener({
      body: {
        compute_type: kind,
        compute_id: name,
        // The chart makes it beside that of the release.
        compute_config: kind === 'cluster' ? { cluster_namespaces: [`${namespace}-agents`] } : {},
      },
    });
    await change({ said: `The listener ${name} is registered.`, changes: [['listeners'], ['api-keys']] });
    onJoined({ id, key, name, agent_url });
  };
  return (
    <FormDialog
      title="Add a listener"
      isOpen
      wide
      submit="Register here"
      onClose={onClose}
      onSubmit={register}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          required
          maxLength={200}
          value={name}
          placeholder="berlin"
          onChange={({ target }) => setName(target.value)}
        />
        <SelectField
          label="Runs agents in"
          options={kinds}
          value={kind}
          onChange={({ target }) => setKind(kinds.find(([one]) => one === target.value)?.[0] ?? 'cluster')}
        />
        <TextField
          label="Address of its agents"
          required
          value={agent_url}
          hint="Where clients find them; {slug} stands for the name of one."
          onChange={({ target }) => setAgentUrl(target.value)}
        />
        {kind === 'cluster' && (
          <TextField
            label="Namespace"
            required
            value={namespace}
            hint="Of the cluster, to install in."
            onChange={({ target }) => setNamespace(target.value)}
          />
        )}
      </div>
      {kind === 'cluster' && (
        <FromTerminal
          line={joinLine({ name: name || 'NAME', origin: location.origin, agent_url, namespace })}
        />
      )}
    </FormDialog>
  );
}

const FromTerminal = ({ line }: { readonly line: string }) => (
  <div className="flex flex-col gap-2">
    <h3 className="font-medium">From a terminal</h3>
    <p className="text-quiet">
      This registers the cluster, and prints what installs a data plane there, with its key. Then you need to
      press nothing here.
    </p>
    <Snippet label="Join a cluster" text={line} />
  </div>
);

/** The key of a listener, and what its data plane is started with. */
export const ListenerLines = ({
  joined: { id, key, name, agent_url },
  onClose,
}: {
  readonly joined: JoinedListener;
  readonly onClose: () => void;
}) => (
  <SecretDialog title={`The key of ${name}`} label="Key" secret={key} onClose={onClose}>
    <h3 className="font-medium">Environment of its data plane</h3>
    <Snippet label="Environment" text={environmentLines({ id, key, origin: location.origin, agent_url })} />
    <p className="text-quiet">
      Once it was seen, new deployments of this workspace run there; those that are there already stay where
      they are.
    </p>
  </SecretDialog>
);
