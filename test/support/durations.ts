import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const root = dirname(dirname(import.meta.dirname));
/** How long files took on a quiet machine, kept with the project: a fresh clone begins the longest first. */
const KEPT_DURATIONS = join(root, 'test/durations.json');
/** The same, renewed by the last run. */
const LAST_DURATIONS = join(root, 'node_modules/.cache/roadstead/durations.json');

/** Seconds by file. */
export type Durations = Readonly<Record<string, number>>;

export const readDurations = (): Durations => JSON.parse(readFileSync(KEPT_DURATIONS, 'utf8')) as Durations;

export const fileOf = (path: string): string => relative(root, path).split(sep).join('/');

/** Names the ten slowest files, and writes how long each took. */
export class DurationReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const durations = modules
      .map((module) => ({ file: fileOf(module.moduleId), seconds: secondsOf(module) }))
      .sort((one, other) => other.seconds - one.seconds);
    mkdirSync(dirname(LAST_DURATIONS), { recursive: true });
    // Files of less than a second make no difference to the order.
    const told = durations.filter(({ seconds }) => seconds >= 1);
    const measured = Object.fromEntries(told.map(({ file, seconds }) => [file, seconds]));
    // A run of some files renews theirs alone.
    const all = Object.entries({ ...readDurations(), ...measured })
      .filter(([file]) => existsSync(join(root, file)))
      .sort(([, one], [, other]) => other - one);
    writeFileSync(LAST_DURATIONS, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
    const lines = told
      .slice(0, 10)
      .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${file}\n`);
    if (durations.length > 10) process.stdout.write(`\nThe slowest files:\n${lines.join('')}\n`);
  }
}

function secondsOf(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return Math.round((collectDuration + setupDuration + duration) / 100) / 10;
}
