import {
  type Answers,
  asked,
  choicesOf,
  type Config,
  configOf,
  type Question,
  type Reply,
} from './rubric-rules.ts';

/** What a review comes to: pieces of feedback, new ones and changes of those that were given before. */

/** The keys of what is said beside the rubric. */
export const [NOTE, CORRECTION] = ['note', 'correction'] as const;

interface GivenFeedback {
  readonly id: string;
  readonly key: string;
  readonly score: number | null;
  readonly value: unknown;
  readonly comment: string | null;
  readonly correction: unknown;
  readonly feedback_source: Readonly<Record<string, unknown>>;
}

interface Author {
  readonly queue_id: string;
  /** The actor, since two people may have the same name. */
  readonly reviewer: string;
}

/** What the same actor said in the same queue, by key; the list has the newest first. */
export function ownFeedback<F extends GivenFeedback>(
  given: readonly F[],
  { queue_id, reviewer }: Author,
): Map<string, F> {
  const own = new Map<string, F>();
  for (const one of given) {
    const metadata = one.feedback_source['metadata'] as Readonly<Record<string, unknown>> | null | undefined;
    const isOwn = metadata?.['annotation_queue_id'] === queue_id && metadata['reviewer'] === reviewer;
    if (isOwn && !own.has(one.key)) own.set(one.key, one);
  }
  return own;
}

/** The answers that a review begins with. */
export function answersOf(own: ReadonlyMap<string, GivenFeedback>): Answers {
  const said = [...own]
    .filter(([key]) => key !== NOTE && key !== CORRECTION)
    .map(([key, { score, value }]): [string, Reply] => [
      key,
      score === null ? { text: typeof value === 'string' ? value : '' } : { score },
    ]);
  return new Map(said);
}

interface ReviewContent {
  readonly rubric: readonly Question[];
  readonly configs: ReadonlyMap<string, Config>;
  readonly answers: Answers;
  readonly note: string;
  /** The corrected outputs; undefined where nothing was corrected. */
  readonly correction: Readonly<Record<string, unknown>> | undefined;
}

export interface Piece {
  readonly key: string;
  readonly score?: number;
  readonly value?: string;
  readonly comment?: string;
  readonly correction?: Readonly<Record<string, unknown>>;
}

export function piecesOf({ rubric, configs, answers, note, correction }: ReviewContent): Piece[] {
  const pieces = asked(rubric, answers).flatMap((question): Piece[] => {
    const { feedback_key: key } = question;
    const { score, text } = answers.get(key) ?? {};
    if (score === undefined) return text === undefined || text === '' ? [] : [{ key, value: text }];
    const choice = choicesOf(configOf(question, configs)).find(({ value }) => value === score);
    return [{ key, score, ...(choice && { value: choice.label }) }];
  });
  if (note.trim() !== '') pieces.push({ key: NOTE, comment: note });
  if (correction !== undefined) pieces.push({ key: CORRECTION, correction });
  return pieces;
}

/** The keys whose feedback is taken back: those of this form that were said before and are not said now. */
export function takenBack({
  said,
  rubric,
  pieces,
}: {
  readonly said: Iterable<string>;
  readonly rubric: readonly Question[];
  readonly pieces: readonly Piece[];
}): string[] {
  const ofForm = new Set([...rubric.map(({ feedback_key }) => feedback_key), NOTE, CORRECTION]);
  const kept = new Set(pieces.map(({ key }) => key));
  return [...said].filter((key) => ofForm.has(key) && !kept.has(key));
}
