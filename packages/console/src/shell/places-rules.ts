import type { Target } from '../router/addresses.ts';

/** Shows so many of a kind. */
export const MOST = 6;
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What an agent keeps may have the same id as a conversation of its traces. */
export const CONVERSATION = 'conversation';

/** Something that one can go to. */
export interface Place {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly target: Target;
}

export interface PlaceAnswer {
  readonly places: readonly Place[];
  /** What could not be asked, as people call it. */
  readonly unasked: readonly string[];
}

/** Those that have the words in their name, or are named by this id. */
export function named<Thing extends Pick<Place, 'id' | 'name'>>(
  all: readonly Thing[],
  words: string,
): readonly Thing[] {
  const wanted = words.toLowerCase();
  return all.filter(({ id, name }) => id === wanted || name.toLowerCase().includes(wanted));
}

/** Joins what was answered, in order; an answer that there is no such thing is one, too. */
export function gather(
  answers: readonly PromiseSettledResult<readonly Place[]>[],
  names: readonly string[],
): PlaceAnswer {
  const places = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const unasked = names.filter((_, index) => {
    const answer = answers[index];
    return answer?.status === 'rejected' && !isMissing(answer.reason);
  });
  return { places, unasked };
}

/**
 * What the first of several finds, without waiting for the others; nothing where all say that they don't have it.
 * Throws where none finds it and some could not be asked, by their names.
 */
export async function firstFound(
  asked: readonly Promise<Place>[],
  names: readonly string[],
): Promise<readonly Place[]> {
  const answers = Promise.allSettled(asked.map(async (one) => [await one]));
  const found = await Promise.any(asked).catch(() => undefined);
  if (found !== undefined) return [found];
  const { unasked } = gather(await answers, names);
  if (unasked.length > 0) throw new Error(`${listed(unasked)} could not be asked`);
  return [];
}

export const isMissing = (reason: unknown) =>
  typeof reason === 'object' && reason !== null && 'status' in reason && reason.status === 404;

const words = new Intl.ListFormat('en-GB');

/** `Deployments, projects and runs`. */
export function listed(names: readonly string[]): string {
  const text = words.format(names);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
