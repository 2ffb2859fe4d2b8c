import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Answer } from '../../ui/answers.tsx';
import { classes } from '../../ui/classes.ts';
import { templatesQuery } from './new-queries.ts';

type Template = Awaited<ReturnType<NonNullable<typeof templatesQuery.queryFn>>>[number];

interface TemplateChoiceProps {
  readonly value: string | undefined;
  readonly fault: string | undefined;
  readonly onChoose: (template: Template) => void;
}

/** The templates, each with what it does and which variables it takes. */
export function TemplateChoice({ value, fault, onChoose }: TemplateChoiceProps) {
  const templates = useQuery(templatesQuery);
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-medium">Template</legend>
      <Answer of={templates}>
        {(all) => (
          <div className="grid gap-2 sm:grid-cols-2">
            {all.map((template) => (
              <label
                key={template.id}
                className={classes(
                  'flex cursor-pointer gap-2 rounded-md border p-3',
                  template.id === value ? 'border-accent bg-accent-soft' : 'border-line hover:bg-sunk',
                )}
              >
                <input
                  type="radio"
                  name={id}
                  required
                  checked={template.id === value}
                  aria-label={template.title}
                  onChange={() => onChoose(template)}
                  className="mt-0.5 size-4 accent-accent"
                />
                <span className="min-w-0">
                  <span className="block font-medium">{template.title}</span>
                  <span className="block text-xs text-quiet">{template.description}</span>
                  {template.variables.length > 0 && (
                    <span className="block truncate pt-1 font-mono text-2xs text-quiet">
                      {template.variables.map(({ name }) => name).join(' ')}
                    </span>
                  )}
                </span>
              </label>
            ))}
          </div>
        )}
      </Answer>
      {fault !== undefined && <p className="text-xs text-bad">{fault}</p>}
    </fieldset>
  );
}
