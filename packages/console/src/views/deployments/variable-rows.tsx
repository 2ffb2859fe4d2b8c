import { type ClipboardEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { control as controlLook } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { type Variable, variablesIn } from './environment-rules.ts';

interface VariableRowsProps {
  readonly variables: readonly Variable[];
  readonly onChange: (variables: readonly Variable[]) => void;
}

/** Variables that are typed, or pasted as the lines of a `.env` file. */
export function VariableRows({ variables, onChange }: VariableRowsProps) {
  const [ids, setIds] = useState<readonly number[]>([]);
  const change = (index: number, changed: Partial<Variable>) =>
    onChange(variables.map((one, place) => (place === index ? { ...one, ...changed } : one)));
  const add = (added: readonly Variable[]) => {
    setIds([
      ...variables.map((_one, index) => ids[index] ?? index),
      ...added.map((_one, index) => Date.now() + index),
    ]);
    onChange([...variables, ...added]);
  };
  const remove = (index: number) => {
    setIds(ids.filter((_id, place) => place !== index));
    onChange(variables.filter((_one, place) => place !== index));
  };
  const paste = (index: number, event: ClipboardEvent) => {
    const found = variablesIn(event.clipboardData.getData('text'));
    if (found.length === 0) return;
    event.preventDefault();
    onChange([...variables.slice(0, index), ...found, ...variables.slice(index + 1)]);
  };
  return (
    <div className="flex flex-col gap-2">
      {variables.map(({ name, value }, index) => (
        <div key={ids[index] ?? index} className="flex flex-wrap gap-2">
          <input
            aria-label="Name of the variable"
            placeholder="NAME"
            autoComplete="off"
            spellCheck={false}
            value={name}
            onPaste={(event) => paste(index, event)}
            onChange={(event) => change(index, { name: event.target.value })}
            className={`${controlLook} max-w-64 font-mono`}
          />
          <input
            type="password"
            autoComplete="new-password"
            aria-label={`Value of ${name === '' ? 'the variable' : name}`}
            placeholder="Value"
            value={value}
            onChange={(event) => change(index, { value: event.target.value })}
            className={`${controlLook} max-w-80 flex-1`}
          />
          <button
            type="button"
            aria-label={`Take out ${name === '' ? 'the empty variable' : name}`}
            onClick={() => remove(index)}
            className="rounded p-1.5 text-quiet hover:bg-sunk"
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button small onClick={() => add([{ name: '', value: '' }])}>
          <Icon name="plus" className="size-3" /> Add a variable
        </Button>
        <span className="text-xs text-quiet">Or paste the lines of a .env file into a name.</span>
      </div>
    </div>
  );
}
