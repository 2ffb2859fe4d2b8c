/** The figures of a chart as rows of a table. */

interface Figures {
  readonly at_ms: number;
  /** One for each line; null where it has none then. */
  readonly values: readonly (number | null)[];
}

interface Line {
  readonly values: readonly (number | null)[];
}

/** Times at which no line has a value are left out. */
export const figuresOf = (times_ms: readonly number[], lines: readonly Line[]): Figures[] =>
  times_ms.flatMap((at_ms, index) => {
    const values = lines.map((line) => line.values[index] ?? null);
    return values.every((value) => value === null) ? [] : [{ at_ms, values }];
  });
