import { useState } from 'react';
import { people } from '../../../api/clients.ts';
import { FormDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { peopleSets, type Scope } from '../../../words/scope-rules.ts';
import { ScopePicker } from '../scope-picker.tsx';
import { useChange } from '../use-change.ts';

export type User = Awaited<ReturnType<typeof people.createUser>>;

interface PersonFormProps {
  /** The one who is changed; undefined: somebody is added. */
  readonly user: User | undefined;
  readonly onClose: () => void;
}

const VIEWER: readonly Scope[] = ['reader'];

export function PersonForm({ user, onClose }: PersonFormProps) {
  const [name, setName] = useState(user?.name ?? '');
  const [password, setPassword] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(user?.scopes ?? VIEWER);
  const [isSingle, setSingle] = useState(false);
  const change = useChange();
  const save = async () => {
    if (scopes.length === 0) throw new Error('Choose what they may do.');
    const given = scopes.filter((scope) => scope !== 'listener');
    await (user === undefined
      ? people.createUser({ body: { name, password, scopes: given } })
      : people.patchUser({
          params: { user_id: user.id },
          body: { scopes: given, ...(password !== '' && { password }) },
        }));
    await change({
      said: user === undefined ? `${name} can sign in.` : `${name} is changed.`,
      changes: [['users']],
    });
  };
  return (
    <FormDialog
      title={user === undefined ? 'Add a person' : `Change ${user.name}`}
      isOpen
      submit={user === undefined ? 'Add' : 'Save'}
      onClose={onClose}
      onSubmit={save}
    >
      {user === undefined && (
        <TextField
          label="Name"
          required
          maxLength={100}
          value={name}
          placeholder="anna"
          hint="Letters, digits and . _ @ + -; capital letters make no difference."
          onChange={({ target }) => setName(target.value)}
        />
      )}
      <TextField
        label={user === undefined ? 'Password' : 'New password'}
        type="password"
        autoComplete="new-password"
        required={user === undefined}
        minLength={12}
        maxLength={256}
        value={password}
        hint={
          user === undefined
            ? 'At least 12 characters. They sign in with it, so pass it on in private.'
            : 'Left empty, it stays. A new one signs them out everywhere.'
        }
        onChange={({ target }) => setPassword(target.value)}
      />
      <ScopePicker
        legend="What they may do"
        sets={peopleSets}
        chosen={scopes}
        isSingle={isSingle}
        onChange={(chosen, single) => {
          setScopes(chosen);
          setSingle(single);
        }}
      />
    </FormDialog>
  );
}
