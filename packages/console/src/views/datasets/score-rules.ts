/** Scores of experiments and of their runs. */

export type Scores = Readonly<Record<string, number>>;

/** The mean of each key in the statistics of feedback. */
export function meanScores(stats: Readonly<Record<string, unknown>> | null | undefined): Scores {
  const means = Object.entries(stats ?? {}).flatMap(([key, stat]) => {
    const mean = (stat as { readonly avg?: unknown } | null)?.avg;
    return typeof mean === 'number' ? [[key, mean] as const] : [];
  });
  return Object.fromEntries(means);
}

/** At most two digits behind the point. */
export const scoreText = (score: number): string => String(Math.round(score * 100) / 100);
