import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { traces } from '../../api/clients.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import type { QueueWithRubric } from './queue-queries.ts';
import { hasNewKey, type QuestionKind } from './rubric-rules.ts';

type RubricItem = NonNullable<QueueWithRubric['rubric_items']>[number];

export interface DraftQuestion {
  readonly id: string;
  readonly key: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly kind: QuestionKind;
  readonly min: number;
  readonly max: number;
  readonly categories: readonly string[];
  /** What a question holds that the form doesn't show; undefined for a new one. */
  readonly kept: RubricItem | undefined;
}

const fresh = (): DraftQuestion => ({
  id: crypto.randomUUID(),
  key: '',
  description: '',
  isRequired: true,
  kind: 'good or bad',
  min: 1,
  max: 5,
  categories: [],
  kept: undefined,
});

export const draftOf = (item: RubricItem): DraftQuestion => ({
  ...fresh(),
  key: item.feedback_key,
  description: item.description ?? '',
  isRequired: item.is_required === true,
  kept: item,
});

const kinds: readonly (readonly [QuestionKind, string])[] = [
  ['good or bad', 'Good or bad'],
  ['number', 'A number'],
  ['categories', 'One of several words'],
  ['text', 'Free text'],
];

interface RubricFieldsProps {
  readonly questions: readonly DraftQuestion[];
  readonly onChange: (questions: readonly DraftQuestion[]) => void;
}

/** The questions of the rubric; each is the feedback of a key. */
export function RubricFields({ questions, onChange }: RubricFieldsProps) {
  const list = useId();
  const known = useQuery({
    queryKey: ['feedback configs', 'names'],
    queryFn: ({ signal }) => traces.listFeedbackConfigs({ query: {}, signal }),
  });
  const keys = new Set(known.data?.map(({ feedback_key }) => feedback_key));
  const change = (id: string, of: Partial<DraftQuestion>) =>
    onChange(questions.map((one) => (one.id === id ? { ...one, ...of } : one)));
  return (
    <fieldset className="flex flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 font-medium">Questions</legend>
      <datalist id={list}>
        {[...keys].map((key) => (
          <option key={key} value={key}>
            {key}
          </option>
        ))}
      </datalist>
      {questions.map((question, index) => (
        <QuestionFields
          key={question.id}
          label={`Question ${index + 1}`}
          list={list}
          question={question}
          isKnown={!hasNewKey(question) || keys.has(question.key)}
          onChange={(of) => change(question.id, of)}
          onRemove={() => onChange(questions.filter(({ id }) => id !== question.id))}
        />
      ))}
      <div>
        <Button small onClick={() => onChange([...questions, fresh()])}>
          <Icon name="plus" /> Add a question
        </Button>
      </div>
    </fieldset>
  );
}

interface QuestionFieldsProps {
  readonly label: string;
  readonly list: string;
  readonly question: DraftQuestion;
  /** Whether its key says already how it is scored. */
  readonly isKnown: boolean;
  readonly onChange: (change: Partial<DraftQuestion>) => void;
  readonly onRemove: () => void;
}

function QuestionFields({ label, list, question, isKnown, onChange, onRemove }: QuestionFieldsProps) {
  return (
    <div role="group" aria-label={label} className="flex flex-col gap-2 border-b border-line pb-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Key"
          hint={isKnown ? 'This key is scored as it was before.' : undefined}
          list={list}
          required
          maxLength={180}
          value={question.key}
          onChange={({ target }) => onChange({ key: target.value })}
        />
        <TextField
          label="What is asked"
          value={question.description}
          onChange={({ target }) => onChange({ description: target.value })}
        />
        {!isKnown && <KindFields question={question} onChange={onChange} />}
      </div>
      <div className="flex items-center">
        <CheckField
          label="Must be answered"
          checked={question.isRequired}
          onChange={({ target }) => onChange({ isRequired: target.checked })}
        />
        <Button small look="quiet" className="ml-auto" onClick={onRemove}>
          Remove {label.toLowerCase()}
        </Button>
      </div>
    </div>
  );
}

function KindFields({ question, onChange }: Pick<QuestionFieldsProps, 'question' | 'onChange'>) {
  return (
    <>
      <SelectField
        label="Answer"
        value={question.kind}
        onChange={({ target }) => onChange({ kind: target.value as QuestionKind })}
        options={kinds}
      />
      {question.kind === 'number' && (
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="From"
            type="number"
            value={question.min}
            onChange={({ target }) => onChange({ min: Number(target.value) })}
          />
          <TextField
            label="To"
            type="number"
            value={question.max}
            onChange={({ target }) => onChange({ max: Number(target.value) })}
          />
        </div>
      )}
      {question.kind === 'categories' && (
        <TextField
          label="Words"
          hint="With commas between them, the worst first: it counts 0, the next 1."
          required
          defaultValue={question.categories.join(', ')}
          onChange={({ target }) =>
            onChange({
              categories: target.value
                .split(',')
                .map((word) => word.trim())
                .filter((word) => word !== ''),
            })
          }
        />
      )}
    </>
  );
}
