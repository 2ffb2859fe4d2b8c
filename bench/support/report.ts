import type { Measured } from './measure.ts';

/** What is printed: rows as they are measured, then each ratio beside its target. */

export interface Report {
  /** Prints a row; answers what was measured. */
  row(name: string, measured: Measured, note?: string): Measured;
  note(text: string): void;
  /** A ratio against the target, for example `≥ 4 ×`. */
  ratio(name: string, value: string, target: string): void;
  summary(): void;
}

export function createReport(write: (line: string) => void): Report {
  const ratios: [string, string, string][] = [];
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
    ratio: (...line) => void ratios.push(line),
    summary: () => {
      write('\nratios of this run');
      for (const [name, value, target] of ratios)
        write(`  ${name.padEnd(74)} ${value.padStart(9)}   target ${target}`);
    },
  };
}
