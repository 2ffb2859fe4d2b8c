/** The questions of a rubric: how each is answered, and which are to be answered. */

export interface Config {
  readonly type: 'continuous' | 'categorical' | 'freeform';
  readonly min?: number | null | undefined;
  readonly max?: number | null | undefined;
  readonly categories?:
    | readonly { readonly value: number; readonly label?: string | null | undefined }[]
    | null
    | undefined;
}

interface Rule {
  readonly key: string;
  readonly op: 'is' | 'is_one_of' | 'is_empty' | 'is_not_empty';
  readonly values?: readonly number[] | null | undefined;
}
type Condition = { readonly join: 'all' | 'any'; readonly rules: readonly Rule[] } | null | undefined;

export interface Question {
  readonly feedback_key: string;
  readonly description?: string | null | undefined;
  readonly is_required?: boolean | null | undefined;
  readonly required_if?: Condition;
  readonly visible_if?: Condition;
  readonly feedback_config?: Readonly<Record<string, unknown>> | null | undefined;
}

/** What a reviewer says to a question: a score, or words. */
export interface Reply {
  readonly score?: number;
  readonly text?: string;
}
export type Answers = ReadonlyMap<string, Reply>;

export interface Choice {
  readonly value: number;
  readonly label: string;
}

const GOOD_OR_BAD: readonly Choice[] = [
  { value: 1, label: 'good' },
  { value: 0, label: 'bad' },
];
/** So many choices have a number key. */
const KEYS = 9;

/** The configuration of a question: its own, or that of its key. */
export function configOf(question: Question, configs: ReadonlyMap<string, Config>): Config | undefined {
  const own = question.feedback_config as Config | null | undefined;
  return own?.type === undefined ? configs.get(question.feedback_key) : own;
}

/** What can be chosen by a key; nothing where a number or words are written. */
export function choicesOf(config: Config | undefined): readonly Choice[] {
  if (config === undefined) return GOOD_OR_BAD;
  if (config.type === 'freeform') return [];
  if (config.type === 'categorical')
    return (config.categories ?? []).map(({ value, label }) => ({ value, label: label ?? String(value) }));
  const [min, max] = [config.min ?? 0, config.max ?? 1];
  if (min === 0 && max === 1) return GOOD_OR_BAD;
  const isShort = Number.isInteger(min) && Number.isInteger(max) && max > min && max - min < KEYS;
  if (!isShort) return [];
  return Array.from({ length: max - min + 1 }, (_, step) => ({
    value: min + step,
    label: String(min + step),
  }));
}

const isEmpty = (said: Reply | undefined) =>
  said === undefined || (said.score === undefined && (said.text ?? '') === '');

const ops: Readonly<Record<Rule['op'], (said: Reply | undefined, values: readonly number[]) => boolean>> = {
  is: (said, [value]) => said?.score !== undefined && said.score === value,
  is_one_of: (said, values) => said?.score !== undefined && values.includes(said.score),
  is_empty: (said) => isEmpty(said),
  is_not_empty: (said) => !isEmpty(said),
};

function holds({ join, rules }: NonNullable<Condition>, answers: Answers): boolean {
  const each = rules.map(({ key, op, values }) => ops[op](answers.get(key), values ?? []));
  return join === 'all' ? each.every(Boolean) : each.some(Boolean);
}

/** The questions that are asked, given what was answered to others. */
export const asked = (rubric: readonly Question[], answers: Answers): Question[] =>
  rubric.filter(({ visible_if }) => !visible_if || holds(visible_if, answers));

export const isRequired = ({ is_required, required_if }: Question, answers: Answers): boolean =>
  is_required === true || (!!required_if && holds(required_if, answers));

/** The questions that must be answered still. */
export const unanswered = (rubric: readonly Question[], answers: Answers): Question[] =>
  asked(rubric, answers).filter(
    (question) => isRequired(question, answers) && isEmpty(answers.get(question.feedback_key)),
  );

/** The question after one, round about. */
export function neighbour(
  questions: readonly Question[],
  { key, step }: { readonly key: string | undefined; readonly step: number },
) {
  const place = questions.findIndex(({ feedback_key }) => feedback_key === key);
  const next = (Math.max(place, 0) + step + questions.length) % Math.max(questions.length, 1);
  return questions[next]?.feedback_key;
}

export type QuestionKind = 'good or bad' | 'number' | 'categories' | 'text';

interface ConfigDraft {
  readonly kind: QuestionKind;
  readonly min: number;
  readonly max: number;
  /** Names with commas between them, the worst first. */
  readonly categories: readonly string[];
}

/** The configuration that a form describes. */
export function configWanted({ kind, min, max, categories }: ConfigDraft): Config {
  switch (kind) {
    case 'text':
      return { type: 'freeform' };
    case 'number':
      return { type: 'continuous', min, max };
    case 'categories':
      return {
        type: 'categorical',
        categories: categories.map((label, value) => ({ value, label })),
      };
    case 'good or bad':
      return {
        type: 'categorical',
        categories: GOOD_OR_BAD.map(({ value, label }) => ({ value, label })),
      };
  }
}

interface KeyedQuestion {
  readonly key: string;
  /** The question as it was before; undefined for a new one. */
  readonly kept: { readonly feedback_key: string } | undefined;
}

/** Whether a question is about another key than before, which may say for itself how it is scored. */
export const hasNewKey = ({ key, kept }: KeyedQuestion): boolean => kept?.feedback_key !== key;
