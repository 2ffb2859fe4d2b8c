import { type ReactNode, useState } from 'react';
import { control } from '../../../api/clients.ts';
import { FormDialog } from '../../../ui/dialog.tsx';
import { SelectField, TextArea, TextField } from '../../../ui/fields.tsx';
import { useChange } from '../use-change.ts';

export type Integration = Awaited<ReturnType<typeof control.readIntegration>>;
type NewIntegrationBody = Parameters<typeof control.createIntegration>[0]['body'];
type Credential = NonNullable<NewIntegrationBody['credential']>;
type CredentialKind = Credential['kind'] | 'none';

const hosts = [
  ['github', 'GitHub', 'github.com'],
  ['gitlab', 'GitLab', 'gitlab.com'],
  ['gitea', 'Gitea or Forgejo', 'gitea.com'],
  ['generic', 'Another git host', ''],
] as const;
type HostKind = (typeof hosts)[number][0];

interface NewIntegrationProps {
  readonly onClose: () => void;
  readonly onMade: (integration: Integration) => void;
}

export function NewIntegration({ onClose, onMade }: NewIntegrationProps) {
  const [kind, setKind] = useState<HostKind>('github');
  const [name, setName] = useState('');
  const [host, setHost] = useState('github.com');
  const { credential, fields } = useCredential(kind);
  const change = useChange();
  const create = async () => {
    const made = await control.createIntegration({ body: { kind, name, host, credential: credential() } });
    await change({ said: `The integration ${name} is made.`, changes: [['integrations']] });
    onMade(made);
  };
  return (
    <FormDialog title="Add an integration" isOpen submit="Add" onClose={onClose} onSubmit={create}>
      <SelectField
        label="Kind of host"
        options={hosts.map(([value, label]) => [value, label])}
        value={kind}
        onChange={({ target: { value } }) => {
          const found = hosts.find(([one]) => one === value) ?? hosts[0];
          setKind(found[0]);
          setHost(found[2]);
        }}
      />
      <TextField
        label="Name"
        required
        maxLength={100}
        value={name}
        placeholder="acme"
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label="Host"
        required
        value={host}
        placeholder="git.example.com"
        hint="With a port where that is another than 443."
        onChange={({ target }) => setHost(target.value)}
      />
      {fields}
    </FormDialog>
  );
}

interface CredentialFormProps extends NewIntegrationProps {
  readonly integration: Integration;
}

export function CredentialForm({ integration, onClose, onMade }: CredentialFormProps) {
  const { credential, fields } = useCredential(integration.kind);
  const change = useChange();
  const save = async () => {
    const given = credential();
    if (given === null) throw new Error('Choose a credential; one is replaced here, not taken away.');
    const changed = await control.patchIntegration({
      params: { integration_id: integration.id },
      body: { credential: given },
    });
    await change({ said: `${integration.name} has a new credential.`, changes: [['integrations']] });
    if (changed.credential?.public_key != null) onMade(changed);
  };
  return (
    <FormDialog
      title={`Replace the credential of ${integration.name}`}
      isOpen
      submit="Replace"
      onClose={onClose}
      onSubmit={save}
    >
      <p className="text-quiet">What is there is never shown; what you enter takes its place.</p>
      {fields}
    </FormDialog>
  );
}

const kindWords: Readonly<Record<CredentialKind, string>> = {
  token: 'A token',
  ssh_key: 'An SSH key that is made here',
  github_app: 'A GitHub App',
  none: 'Nothing; it only hears of pushes',
};

/** The fields of a credential, and what was entered; its parts are never shown again. */
function useCredential(host: HostKind): {
  readonly credential: () => Credential | null;
  readonly fields: ReactNode;
} {
  const [kind, setKind] = useState<CredentialKind>('token');
  const [values, setValues] = useState({ username: '', token: '', app_id: '', installation_id: '', pem: '' });
  const kinds = (Object.keys(kindWords) as CredentialKind[]).filter(
    (one) => one !== 'github_app' || host === 'github',
  );
  const chosen = kinds.includes(kind) ? kind : 'token';
  const { username, token, app_id, installation_id, pem } = values;
  const credentials: Readonly<Record<CredentialKind, () => Credential | null>> = {
    none: () => null,
    token: () => ({ kind: 'token', token, ...(username !== '' && { username }) }),
    ssh_key: () => ({ kind: 'ssh_key' }),
    github_app: () => ({
      kind: 'github_app',
      app_id,
      installation_id: Number(installation_id),
      private_key: pem,
    }),
  };
  const field = (name: keyof typeof values) => ({
    value: values[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      setValues({ ...values, [name]: target.value }),
  });
  const fields = (
    <>
      <SelectField
        label="Fetches by"
        options={kinds.map((one) => [one, kindWords[one]])}
        value={chosen}
        onChange={({ target }) => setKind(kinds.find((one) => one === target.value) ?? 'token')}
      />
      {chosen === 'token' && (
        <>
          <TextField
            label="Token"
            type="password"
            required
            hint="It needs to read the contents of repositories."
            {...field('token')}
          />
          <TextField
            label="User name"
            hint="Left empty, the one that the host asks for."
            {...field('username')}
          />
        </>
      )}
      {chosen === 'github_app' && (
        <>
          <TextField label="Number or client id of the app" required {...field('app_id')} />
          <TextField
            label="Number of the installation"
            required
            inputMode="numeric"
            {...field('installation_id')}
          />
          <TextArea label="Private key (PEM)" required className="font-mono text-xs" {...field('pem')} />
        </>
      )}
    </>
  );
  return { credential: credentials[chosen], fields };
}
