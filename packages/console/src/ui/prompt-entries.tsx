import type { PromptEntry, PromptRole } from '../words/prompt-rules.ts';
import { Button } from './button.tsx';
import { control } from './fields.tsx';
import { Icon } from './icons.tsx';
import { JsonView } from './json-view.tsx';

/** Messages of a prompt, to be edited. */

interface PromptEntriesProps {
  readonly entries: readonly PromptEntry[];
  readonly onChange: (entries: readonly PromptEntry[]) => void;
}

const roles: readonly PromptRole[] = ['system', 'user', 'assistant'];

export function PromptEntries({ entries, onChange }: PromptEntriesProps) {
  const add = (entry: PromptEntry) => onChange([...entries, entry]);
  const nextRole: PromptRole = isOf(entries.at(-1), 'user') ? 'assistant' : 'user';
  return (
    <div className="flex flex-col gap-3">
      <ol className="flex flex-col gap-3">
        {entries.map((entry, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a message is what stands at its place
          <li key={index} className="rounded-md border border-line bg-card">
            <EntryEditor
              entry={entry}
              number={index + 1}
              onChange={(next) => onChange(entries.with(index, next))}
              onRemove={() => onChange(entries.toSpliced(index, 1))}
              {...(index > 0 && { onRise: () => onChange(risen(entries, index)) })}
            />
          </li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-2">
        <Button small onClick={() => add({ kind: 'message', role: nextRole, text: '' })}>
          <Icon name="plus" className="size-3.5" /> Message
        </Button>
        <Button small onClick={() => add({ kind: 'placeholder', name: 'history', is_optional: true })}>
          <Icon name="plus" className="size-3.5" /> Messages of a variable
        </Button>
      </div>
    </div>
  );
}

const isOf = (entry: PromptEntry | undefined, role: PromptRole) =>
  entry?.kind === 'message' && entry.role === role;

const risen = (entries: readonly PromptEntry[], index: number) => [
  ...entries.slice(0, index - 1),
  ...entries.slice(index, index + 1),
  ...entries.slice(index - 1, index),
  ...entries.slice(index + 1),
];

interface EntryEditorProps {
  readonly entry: PromptEntry;
  readonly number: number;
  readonly onChange: (entry: PromptEntry) => void;
  readonly onRemove: () => void;
  readonly onRise?: () => void;
}

function EntryEditor({ entry, number, onChange, onRemove, onRise }: EntryEditorProps) {
  return (
    <>
      <div className="flex items-center gap-1 border-b border-line px-2 py-1">
        <EntryHead entry={entry} number={number} onChange={onChange} />
        <div className="ml-auto flex">
          {onRise && (
            <Button small look="quiet" aria-label={`Move message ${number} up`} onClick={onRise}>
              <Icon name="down" className="size-3.5 rotate-180" />
            </Button>
          )}
          <Button small look="quiet" aria-label={`Remove message ${number}`} onClick={onRemove}>
            <Icon name="close" className="size-3.5" />
          </Button>
        </div>
      </div>
      <EntryBody entry={entry} number={number} onChange={onChange} />
    </>
  );
}

type EntryPartProps = Pick<EntryEditorProps, 'entry' | 'number' | 'onChange'>;

function EntryHead({ entry, number, onChange }: EntryPartProps) {
  if (entry.kind !== 'message')
    return (
      <span className="text-xs text-quiet">
        {entry.kind === 'placeholder' ? 'Messages of a variable' : 'Kept as it is'}
      </span>
    );
  return (
    <select
      aria-label={`Role of message ${number}`}
      value={entry.role}
      onChange={(event) => onChange({ ...entry, role: event.target.value as PromptRole })}
      className="min-h-6 rounded bg-card text-xs font-medium"
    >
      {roles.map((role) => (
        <option key={role}>{role}</option>
      ))}
    </select>
  );
}

function EntryBody({ entry, number, onChange }: EntryPartProps) {
  if (entry.kind === 'kept')
    return (
      <div className="overflow-auto p-2">
        <JsonView value={entry.value} label={`Message ${number}`} open={1} />
      </div>
    );
  if (entry.kind === 'message')
    return (
      <textarea
        aria-label={`Text of message ${number}`}
        value={entry.text}
        rows={Math.min(16, Math.max(3, entry.text.split('\n').length + 1))}
        onChange={(event) => onChange({ ...entry, text: event.target.value })}
        className="block w-full resize-y rounded-b-md bg-card px-3 py-2 font-mono text-xs leading-relaxed"
      />
    );
  return (
    <div className="flex flex-wrap items-center gap-3 p-2">
      <input
        aria-label={`Variable of message ${number}`}
        value={entry.name}
        onChange={(event) => onChange({ ...entry, name: event.target.value })}
        className={`${control} max-w-60`}
      />
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={entry.is_optional}
          onChange={(event) => onChange({ ...entry, is_optional: event.target.checked })}
          className="size-4 accent-accent"
        />
        may be absent
      </label>
    </div>
  );
}
