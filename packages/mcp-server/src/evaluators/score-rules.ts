import { repairText } from '@roadstead/contracts';
import type { EvaluatorAnswer } from './evaluator-job.ts';
import { whyUnusable } from './usable-rules.ts';

/** Turns the answer of an evaluator into the form that an experiment stores. */

export interface Score {
  readonly key: string;
  readonly score?: number | boolean | null;
  readonly value?: unknown;
  readonly comment?: string;
  /** The evaluator failed. */
  readonly error?: boolean;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The results of all examples go into one request. */
const MAX_RESULT_BYTES = 4000;
const MAX_KEY = 180;
const SHAPES = 'a boolean, a number, a text, or {key, score, comment}';

/** An evaluator that throws, or returns no score, is stored as an error of its key. */
export function scoreOf(key: string, answer: EvaluatorAnswer): Score {
  if ('failure' in answer) return failed(key, answer.failure);
  const { result } = JSON.parse(answer.json) as { result?: unknown };
  const why = whyUnusable(result, MAX_RESULT_BYTES);
  if (why !== undefined) return failed(key, `gave a result that can’t be used: ${why}`);
  if (typeof result === 'boolean' || typeof result === 'number') return { key, score: result };
  if (typeof result === 'string') return { key, value: result };
  if (typeof result !== 'object' || result === null || Array.isArray(result))
    return failed(key, `gave no ${SHAPES}`);
  const said = result as Readonly<Record<string, unknown>>;
  const { score = null, value, comment } = said;
  const own =
    typeof said['key'] === 'string' && said['key'] !== '' ? repairText(said['key'].slice(0, MAX_KEY)) : key;
  if (score !== null && typeof score !== 'number' && typeof score !== 'boolean')
    return failed(own, 'gave a score that is neither a number nor a boolean');
  if (score === null && value === undefined) return failed(own, `gave no ${SHAPES}`);
  return {
    key: own,
    score,
    ...(value === undefined ? {} : { value }),
    ...(typeof comment === 'string' ? { comment } : {}),
  };
}

export const failed = (key: string, why: string): Score => ({
  key,
  comment: repairText(`The evaluator failed: ${why}`),
  error: true,
  extra: { error: true },
});
