import { classes } from '../../ui/classes.ts';
import { control } from '../../ui/fields.tsx';
import {
  type Answers,
  choicesOf,
  type Config,
  configOf,
  isRequired,
  type Question,
  type Reply,
} from './rubric-rules.ts';

interface QuestionListProps {
  readonly questions: readonly Question[];
  readonly configs: ReadonlyMap<string, Config>;
  readonly answers: Answers;
  /** The question that number keys answer. */
  readonly active: string | undefined;
  readonly onActive: (key: string) => void;
  readonly onAnswer: (key: string, said: Reply) => void;
}

/** The questions of the rubric; number keys answer the one that is marked. */
export const QuestionList = ({
  questions,
  configs,
  answers,
  active,
  onActive,
  onAnswer,
}: QuestionListProps) => (
  <div className="flex flex-col gap-2">
    {questions.map((question) => {
      const { feedback_key: key, description } = question;
      const isActive = key === active;
      return (
        <fieldset
          key={key}
          className={classes(
            'rounded-md border p-2.5',
            isActive ? 'border-accent bg-accent-soft' : 'border-line',
          )}
        >
          <legend className="rounded bg-card px-1 font-medium">
            {key}
            {isRequired(question, answers) && <span className="font-normal text-quiet"> (required)</span>}
          </legend>
          {description && <p className="mb-1.5 text-quiet">{description}</p>}
          <AnswerControl
            label={key}
            config={configOf(question, configs)}
            said={answers.get(key)}
            hasKeys={isActive}
            onFocus={() => onActive(key)}
            onAnswer={(said) => onAnswer(key, said)}
          />
        </fieldset>
      );
    })}
  </div>
);

interface AnswerControlProps {
  readonly label: string;
  readonly config: Config | undefined;
  readonly said: Reply | undefined;
  readonly hasKeys: boolean;
  readonly onFocus: () => void;
  readonly onAnswer: (said: Reply) => void;
}

function AnswerControl({ label, config, said, hasKeys, onFocus, onAnswer }: AnswerControlProps) {
  const choices = choicesOf(config);
  if (choices.length > 0)
    return (
      <div className="flex flex-wrap gap-1.5">
        {choices.map(({ value, label: text }, index) => (
          <button
            key={value}
            type="button"
            aria-pressed={said?.score === value}
            onFocus={onFocus}
            onClick={() => onAnswer({ score: value })}
            className="inline-flex min-h-8 items-center gap-1.5 rounded-md border border-line bg-card px-2.5 hover:bg-sunk aria-pressed:border-accent aria-pressed:bg-accent aria-pressed:text-on-accent"
          >
            {text}
            {hasKeys && index < 9 && <kbd className="text-2xs">{index + 1}</kbd>}
          </button>
        ))}
      </div>
    );
  if (config?.type === 'continuous')
    return (
      <input
        type="number"
        step="any"
        aria-label={label}
        min={config.min ?? undefined}
        max={config.max ?? undefined}
        value={said?.score ?? ''}
        onFocus={onFocus}
        onChange={({ target }) => onAnswer(target.value === '' ? {} : { score: Number(target.value) })}
        className={control}
      />
    );
  return (
    <textarea
      aria-label={label}
      rows={2}
      value={said?.text ?? ''}
      onFocus={onFocus}
      onChange={({ target }) => onAnswer({ text: target.value })}
      className={control}
    />
  );
}
