import { useState } from 'react';
import { people } from '../../../api/clients.ts';
import { Snippet } from '../../../ui/copy.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { SelectField, TextField } from '../../../ui/fields.tsx';
import { keySets, type Scope } from '../../../words/scope-rules.ts';
import { ScopePicker } from '../scope-picker.tsx';
import { SecretDialog } from '../../../ui/secret-dialog.tsx';
import { useChange } from '../use-change.ts';
import { keyLines } from './key-line-rules.ts';

export type MadeKey = Awaited<ReturnType<typeof people.createApiKey>>;

const DAY_MS = 86_400_000;
const spans = [
  ['', 'Never'],
  ['7', 'In a week'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const;

interface NewKeyProps {
  /** The set of scopes that is chosen at first; that of tracing where none is named. */
  readonly set: string | undefined;
  readonly onClose: () => void;
  readonly onMade: (key: MadeKey) => void;
}

export function NewKey({ set, onClose, onMade }: NewKeyProps) {
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [scopes, setScopes] = useState<readonly Scope[]>(
    (keySets.find(({ id }) => id === set) ?? keySets[0])?.scopes ?? [],
  );
  const [isSingle, setSingle] = useState(false);
  const change = useChange();
  const create = async () => {
    if (scopes.length === 0) throw new Error('Choose what the key may do.');
    const made = await people.createApiKey({
      body: {
        name,
        scopes: scopes.filter((scope) => scope !== 'listener'),
        expires_at: days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
      },
    });
    await change({ said: `The key ${name} is made.`, changes: [['api-keys']] });
    onMade(made);
  };
  return (
    <FormDialog title="New API key" isOpen submit="Make the key" onClose={onClose} onSubmit={create}>
      <TextField
        label="Name"
        required
        maxLength={200}
        value={name}
        placeholder="ci"
        hint="What uses it, so that one knows later whether it may be revoked."
        onChange={({ target }) => setName(target.value)}
      />
      <ScopePicker
        legend="What it may do"
        sets={keySets}
        chosen={scopes}
        isSingle={isSingle}
        onChange={(chosen, single) => {
          setScopes(chosen);
          setSingle(single);
        }}
      />
      <SelectField
        label="Ends"
        options={spans}
        value={days}
        onChange={({ target }) => setDays(target.value)}
      />
      <p className="text-xs text-quiet">
        Each deployment gets a key of its own to trace with; you need to make none for it.
      </p>
    </FormDialog>
  );
}

interface NewKeyLinesProps {
  readonly made: MadeKey;
  /** The agent that it is made to call. */
  readonly agent: string | undefined;
  readonly onClose: () => void;
}

/** The key, and lines to paste where it is used. */
export const NewKeyLines = ({ made: { name, key, scopes }, agent, onClose }: NewKeyLinesProps) => (
  <SecretDialog title={`The key ${name}`} label="Key" secret={key} onClose={onClose}>
    {keyLines({ key, scopes, origin: location.origin, agent }).map(({ label, text }) => (
      <div key={label} className="flex flex-col gap-1">
        <h3 className="font-medium">{label}</h3>
        <Snippet label={label} text={text} />
      </div>
    ))}
  </SecretDialog>
);
