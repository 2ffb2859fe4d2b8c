import { useId } from 'react';
import { mayDo } from '../../session/session.ts';
import { CheckField } from '../../ui/fields.tsx';
import { type Scope, type ScopeSet, scopesToGive, scopeWords, setOf } from '../../words/scope-rules.ts';

interface ScopePickerProps {
  readonly legend: string;
  readonly sets: readonly ScopeSet[];
  readonly chosen: readonly Scope[];
  readonly isSingle: boolean;
  readonly onChange: (chosen: readonly Scope[], isSingle: boolean) => void;
}

/** What somebody may do: one of a few sets, or scopes one by one. Those that the caller can't hand on are not there. */
export function ScopePicker({ legend, sets, chosen, isSingle, onChange }: ScopePickerProps) {
  const name = useId();
  const giveable = scopesToGive((access) => mayDo(access));
  const offered = sets.filter(({ scopes }) => scopes.every((scope) => giveable.includes(scope)));
  const current = isSingle ? undefined : setOf(chosen, offered);
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-medium">{legend}</legend>
      {offered.map((set) => (
        <Choice
          key={set.id}
          name={name}
          label={set.name}
          hint={set.words}
          isChosen={current === set}
          onChoose={() => onChange(set.scopes, false)}
        />
      ))}
      <Choice
        name={name}
        label="Chosen one by one"
        hint="Single scopes, where none of these fits."
        isChosen={isSingle || current === undefined}
        onChoose={() => onChange(chosen, true)}
      />
      {(isSingle || current === undefined) && (
        <div className="grid max-h-64 gap-2 overflow-y-auto rounded-md border border-line p-3 sm:grid-cols-2">
          {giveable.map((scope) => (
            <CheckField
              key={scope}
              label={scope}
              hint={scopeWords[scope]}
              checked={chosen.includes(scope)}
              onChange={({ target: { checked } }) =>
                onChange(checked ? [...chosen, scope] : chosen.filter((one) => one !== scope), true)
              }
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

const Choice = ({ name, label, hint, isChosen, onChoose }: ChoiceProps) => (
  <label className="flex items-start gap-2">
    <input
      type="radio"
      name={name}
      checked={isChosen}
      onChange={onChoose}
      className="mt-0.5 size-4 shrink-0 accent-accent"
    />
    <span>
      {label}
      <span className="block text-xs text-quiet">{hint}</span>
    </span>
  </label>
);
