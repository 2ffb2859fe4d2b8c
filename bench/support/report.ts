import type { Measurement } from './measure.ts';

/** What is printed: rows as they are measured, then each ratio, with its spread over all times, beside its target. */

export interface Target {
  readonly at_least?: number;
  readonly at_most?: number;
  readonly unit: Unit;
}
type Unit = keyof typeof digits;

export const atLeast = (at_least: number, unit: Unit): Target => ({ at_least, unit });
export const atMost = (at_most: number, unit: Unit): Target => ({ at_most, unit });

export interface Report {
  /** Prints a row; answers what was measured. */
  row(name: string, measured: Measurement, note?: string): Measurement;
  note(text: string): void;
  /** A figure against its target; the same name again is another measurement of it. */
  ratio(name: string, value: number, target: Target): void;
  summary(): void;
}

/** After the point, by unit. */
const digits = { '×': 2, '%': 0, ms: 1, s: 2, MB: 0 } as const;

export function createReport(write: (line: string) => void): Report {
  const ratios = new Map<string, { readonly target: Target; readonly values: number[] }>();
  return {
    row: (name, measured, note = '') => {
      const { p50_ms, p99_ms, per_s } = measured;
      const figures = [
        `p50 ${p50_ms.toFixed(2).padStart(8)} ms`,
        `p99 ${p99_ms.toFixed(2).padStart(8)} ms`,
        `${per_s.toFixed(0).padStart(6)}/s`,
      ];
      write(`  ${name.padEnd(58)} ${figures.join('  ')}  ${note}`.trimEnd());
      return measured;
    },
    note: (text) => write(`  ${text}`),
    ratio: (name, value, target) => {
      const seen = ratios.get(name) ?? { target, values: [] };
      seen.values.push(value);
      ratios.set(name, seen);
    },
    summary: () => {
      write('\nratios: the lowest, the middle and the highest of all times');
      for (const [name, { target, values }] of ratios)
        write(
          `  ${name.padEnd(74)} ${spreadOf(values, target.unit).padStart(22)}   ${verdictOf(values, target)}`,
        );
    },
  };
}

function spreadOf(values: readonly number[], unit: Unit): string {
  const sorted = values.toSorted((one, other) => one - other);
  const texts = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((value = Number.NaN) =>
    // One digit says nothing of a small figure.
    value.toFixed(value < 1 ? Math.max(2, digits[unit]) : digits[unit]),
  );
  return `${(values.length === 1 ? texts.slice(0, 1) : texts).join(' · ')} ${unit}`;
}

/** Met is what was met each time. */
function verdictOf(values: readonly number[], { at_least, at_most, unit }: Target): string {
  const isMet = values.every((value) => value >= (at_least ?? -Infinity) && value <= (at_most ?? Infinity));
  const target = at_least === undefined ? `≤ ${at_most} ${unit}` : `≥ ${at_least} ${unit}`;
  return `target ${target}: ${isMet ? 'met' : 'missed'}`;
}
