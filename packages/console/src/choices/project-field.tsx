import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  MOST_CHOICES,
  projectChoiceQuery,
  projectNameQuery,
  projectsToChoose,
} from '../api/project-choice.ts';
import { SearchBox, SelectField } from '../ui/fields.tsx';
import { optionsOf } from './choice-rules.ts';

interface ProjectFieldProps {
  readonly label?: string;
  /** Label of the choice of no project. */
  readonly none: string;
  readonly value: string;
  readonly onChange: (project: string) => void;
}

/** Chooses a project; where there are more than are offered at once, they are searched by name. */
export function ProjectField({ label = 'Project', none, value, onChange }: ProjectFieldProps) {
  const [words, setWords] = useState('');
  const { data: newest = [] } = useQuery(projectChoiceQuery);
  const { data: found = [] } = useQuery(projectsToChoose(words.trim()));
  const { data: name } = useQuery(projectNameQuery(value));
  return (
    <div className="flex flex-col gap-1">
      <SelectField
        label={label}
        value={value}
        options={[['', none], ...optionsOf(found, { id: value, name })]}
        onChange={({ target }) => onChange(target.value)}
      />
      {newest.length >= MOST_CHOICES && (
        <SearchBox label="Find by name" value={words} onChange={({ target }) => setWords(target.value)} />
      )}
    </div>
  );
}
