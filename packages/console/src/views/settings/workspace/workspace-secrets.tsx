import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../../api/clients.ts';
import { Answer } from '../../../ui/answers.tsx';
import { Button } from '../../../ui/button.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { Card } from '../../../ui/page.tsx';
import { useChange } from '../use-change.ts';

const secretsQuery = queryOptions({
  queryKey: ['workspace', 'secrets'],
  queryFn: ({ signal }) => traces.listWorkspaceSecrets({ signal }),
});

type Overlay =
  | { readonly kind: 'set'; readonly name: string | undefined }
  | { readonly kind: 'remove'; readonly name: string };

/** The names of the secrets; their values are written, and never read. */
export function WorkspaceSecrets() {
  const secrets = useQuery(secretsQuery);
  const [overlay, setOverlay] = useState<Overlay>();
  const close = () => setOverlay(undefined);
  return (
    <Card
      title="Secrets"
      actions={
        <Button small needs="workspaces:admin" onClick={() => setOverlay({ kind: 'set', name: undefined })}>
          Add a secret
        </Button>
      }
    >
      <Answer of={secrets}>
        {(all) =>
          all.length === 0 ? (
            <p className="text-quiet">
              There is none. A secret has a name, such as OPENAI_API_KEY, and a value that nobody can read
              again.
            </p>
          ) : (
            <ul className="-my-2 divide-y divide-line">
              {all.map(({ key }) => (
                <SecretRow key={key} name={key} onShow={setOverlay} />
              ))}
            </ul>
          )
        }
      </Answer>
      {overlay?.kind === 'set' && <SetSecret name={overlay.name} onClose={close} />}
      {overlay?.kind === 'remove' && <RemoveSecret name={overlay.name} onClose={close} />}
    </Card>
  );
}

interface SecretRowProps {
  readonly name: string;
  readonly onShow: (overlay: Overlay) => void;
}

const SecretRow = ({ name, onShow }: SecretRowProps) => (
  <li className="flex flex-wrap items-center gap-2 py-2">
    <code>{name}</code>
    <span className="ml-auto flex gap-2">
      <Button
        small
        needs="workspaces:admin"
        aria-label={`Replace ${name}`}
        onClick={() => onShow({ kind: 'set', name })}
      >
        Replace
      </Button>
      <Button
        small
        look="danger"
        needs="workspaces:admin"
        aria-label={`Remove ${name}`}
        onClick={() => onShow({ kind: 'remove', name })}
      >
        Remove
      </Button>
    </span>
  </li>
);

interface SetSecretProps {
  /** The one that is replaced; undefined: a new one. */
  readonly name: string | undefined;
  readonly onClose: () => void;
}

function SetSecret({ name: earlier, onClose }: SetSecretProps) {
  const [name, setName] = useState(earlier ?? '');
  const [value, setValue] = useState('');
  const change = useChange();
  return (
    <FormDialog
      title={earlier === undefined ? 'Add a secret' : `Replace ${earlier}`}
      isOpen
      submit={earlier === undefined ? 'Add' : 'Replace'}
      onClose={onClose}
      onSubmit={async () => {
        await traces.setWorkspaceSecrets({ body: [{ key: name, value }] });
        await change({ said: `${name} is set.`, changes: [['workspace', 'secrets']] });
      }}
    >
      {earlier === undefined && (
        <TextField
          label="Name"
          required
          value={name}
          placeholder="OPENAI_API_KEY"
          className="font-mono"
          onChange={({ target }) => setName(target.value)}
        />
      )}
      <TextField
        label="Value"
        type="password"
        autoComplete="new-password"
        required
        value={value}
        hint="Nobody can read it again."
        onChange={({ target }) => setValue(target.value)}
      />
    </FormDialog>
  );
}

function RemoveSecret({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const change = useChange();
  return (
    <FormDialog
      title={`Remove ${name}?`}
      isOpen
      danger
      submit="Remove"
      onClose={onClose}
      onSubmit={async () => {
        await traces.deleteWorkspaceSecret({ params: { key: name } });
        await change({ said: `${name} is removed.`, changes: [['workspace', 'secrets']] });
      }}
    >
      <p>What uses it fails from then on.</p>
    </FormDialog>
  );
}
