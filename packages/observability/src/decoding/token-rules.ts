import type { Details, Usage } from '../records/run-operation.ts';

/**
 * The tokens that a call used on each side, whatever its client adds up: some clients count cached input and thoughts
 * within their side, and some beside it.
 */

export interface ReportedTokens {
  readonly prompt: number | undefined;
  readonly completion: number | undefined;
  readonly total: number | undefined;
  readonly prompt_token_details?: Details | undefined;
  readonly completion_token_details?: Details | undefined;
}

type Tokens = Pick<Usage, 'prompt_tokens' | 'completion_tokens' | 'total_tokens'>;

/** Details that don't fit into their side are added to it, and then the excess of the total over both sides. */
export function tokensOf(said: ReportedTokens): Tokens {
  const prompt = (said.prompt ?? 0) + besideOf(said.prompt_token_details, said.prompt ?? 0);
  const completion = (said.completion ?? 0) + besideOf(said.completion_token_details, said.completion ?? 0);
  const rest = (said.total ?? 0) - prompt - completion;
  const side = rest > 0 ? restSide(said, rest) : undefined;
  const prompt_tokens = side === 'prompt' ? prompt + rest : prompt;
  const completion_tokens = side === 'completion' ? completion + rest : completion;
  const sum = prompt_tokens + completion_tokens;
  return { prompt_tokens, completion_tokens, total_tokens: Math.max(said.total ?? 0, sum) };
}

/** The excess of the total is thoughts, which some clients leave out of the side. */
function restSide(
  { prompt, completion, prompt_token_details }: ReportedTokens,
  rest: number,
): keyof ReportedTokens | undefined {
  if (prompt === undefined) return completion === undefined ? undefined : 'prompt';
  return rest === cachedOf(prompt_token_details ?? {}) ? 'prompt' : 'completion';
}

/** Caches exclude each other; other kinds may overlap, so each counts by itself. */
function besideOf(details: Details | undefined, side: number): number {
  if (details === undefined) return 0;
  const others = Object.entries(details).filter(([kind]) => !isOfCache(kind));
  const amounts = [cachedOf(details), ...others.map(([, amount]) => amount)];
  return amounts.filter((amount) => amount > side).reduce((sum, amount) => sum + amount, 0);
}

/**
 * `cache_read_over_200k` is a part of `cache_read`, and caches of five minutes or an hour are a part of what was
 * written.
 */
function cachedOf(details: Details): number {
  const kinds = Object.keys(details);
  const isPart = (kind: string) => kinds.some((other) => kind.startsWith(`${other}_`));
  const sumOf = (is: (kind: string) => boolean) =>
    kinds.filter((kind) => is(kind) && !isPart(kind)).reduce((sum, kind) => sum + (details[kind] ?? 0), 0);
  const lasting = sumOf((kind) => kind.startsWith('ephemeral_'));
  const written = details['cache_creation'] ?? 0;
  return sumOf((kind) => kind.includes('cache')) + Math.max(0, lasting - written);
}

const isOfCache = (kind: string) => kind.includes('cache') || kind.startsWith('ephemeral_');
