import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { type ChoiceSource, MOST_CHOICES } from '../api/choice-source.ts';
import { SearchBox, SelectField } from '../ui/fields.tsx';
import { useTyped } from '../ui/use-typed.ts';
import { optionsOf } from './choice-rules.ts';

interface ChoiceFieldProps {
  readonly of: ChoiceSource;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly required?: boolean;
  /** What stands first: the choice of none, as a rule. */
  readonly before: readonly (readonly [value: string, label: string])[];
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Chooses one of many; where there are more than are offered at once, they are searched by name. */
export function ChoiceField({
  of,
  label,
  hint,
  required = false,
  before,
  value,
  onChange,
}: ChoiceFieldProps) {
  const [words, setWords] = useState('');
  const { data: first = [] } = useQuery(of.found(''));
  const typed = useTyped(words.trim());
  const { data: found = [], isSuccess, isPlaceholderData } = useQuery(of.found(typed));
  const isOther = before.some(([one]) => one === value);
  const { data: name } = useQuery(of.name(isOther ? '' : value));
  return (
    <div className="flex flex-col gap-1">
      <SelectField
        label={label}
        hint={hint}
        required={required}
        value={value}
        options={[...before, ...optionsOf(found, { id: isOther ? '' : value, name })]}
        onChange={({ target }) => onChange(target.value)}
      />
      {first.length >= MOST_CHOICES && (
        <SearchBox
          label={`${label}: find by name`}
          value={words}
          onChange={({ target }) => setWords(target.value)}
          onKeyDown={keepForm}
        />
      )}
      {typed !== '' && typed === words.trim() && isSuccess && !isPlaceholderData && found.length === 0 && (
        <p role="status" className="text-xs text-quiet">
          Nothing has this in its name.
        </p>
      )}
    </div>
  );
}

/** Enter in the search box would send the form that the field is part of. */
const keepForm = (event: KeyboardEvent) => event.key === 'Enter' && event.preventDefault();
