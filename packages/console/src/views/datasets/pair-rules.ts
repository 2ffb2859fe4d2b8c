/** Choices between two experiments, example by example. */

export type Side = 'first' | 'second' | 'equal';

/** The scores of the first and of the second run that a choice gives. */
export const scoresOf: Readonly<Record<Side, readonly [number, number]>> = {
  first: [1, 0],
  second: [0, 1],
  equal: [0.5, 0.5],
};

interface PreferenceFeedback {
  readonly id: string;
  readonly run_id: string | null;
  readonly score: number | null;
}

/** What was chosen between two runs; undefined where nothing was. */
export function choiceBetween(
  runs: readonly [string, string],
  feedback: ReadonlyMap<string, PreferenceFeedback>,
): Side | undefined {
  const [first, second] = runs.map((run) => feedback.get(run)?.score ?? undefined);
  if (first === undefined || second === undefined) return undefined;
  return first > second ? 'first' : second > first ? 'second' : 'equal';
}

/** The newest feedback of each run; the list has the newest first. */
export function byRun(feedback: readonly PreferenceFeedback[]): Map<string, PreferenceFeedback> {
  const found = new Map<string, PreferenceFeedback>();
  for (const one of feedback) if (one.run_id !== null && !found.has(one.run_id)) found.set(one.run_id, one);
  return found;
}

/** Whether the experiments change places for an example, so that nobody chooses by the side. */
export function isSwapped(example: string): boolean {
  let sum = 0;
  for (const letter of example) sum += letter.codePointAt(0) ?? 0;
  return sum % 2 === 1;
}
