import { TextArea } from '../../ui/fields.tsx';
import { Card } from '../../ui/page.tsx';
import { variablesOf } from '../../words/prompt-rules.ts';
import type { Draft } from './draft-rules.ts';

interface VariablesProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

/** A field for each variable that the messages name. */
export function Variables({ draft, onChange }: VariablesProps) {
  const variables = variablesOf(draft.entries, draft.format);
  if (variables.length === 0) return null;
  return (
    <Card title="Variables">
      <div className="flex flex-col gap-3">
        {variables.map(({ name, is_messages }) => (
          <TextArea
            key={name}
            label={name}
            rows={2}
            hint={is_messages ? 'Messages, as JSON: [{"role": "user", "content": "…"}]' : undefined}
            value={draft.texts[name] ?? ''}
            onChange={({ target }) => onChange({ ...draft, texts: { ...draft.texts, [name]: target.value } })}
          />
        ))}
      </div>
    </Card>
  );
}
