import { type Bound, type Clock, type Log, problemOf, settled, systemClock, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { DueLoop } from '../timers/due-loop.ts';
import type { Run } from '../runs/run.ts';
import type { Runs } from '../runs/runs.ts';
import { type CronTimes, nextRunOf } from './cron-rules.ts';
import { advanceCron, type DueCron, dueCrons, findCron, findNextCron } from './cron-store.ts';
import type { Cron, NextRun } from './cron.ts';

export interface CronLoopOptions {
  readonly db: Database;
  readonly epoch: number;
  readonly runs: Pick<Runs, 'find'>;
  /** Begins a run with this id as the cron describes it. */
  readonly begin: (cron: Cron, run_id: string) => Promise<Run>;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Bounds the runs that begin at the same time: half of them may belong to one owner of crons. */
const cronBound: Bound<string> = { size: 16, owner: (key) => key.split('\n').slice(1) };

const LISTED = 100;

const keyOf = ({ cron_id, principal }: DueCron) => `${cron_id}\n${principal}`;

/**
 * Begins the runs of crons when they are due. A run's id is drawn together with its date, and the date moves on once
 * the run exists: a process that dies between the two finds the run and continues. All dates missed while nothing ran
 * are made up for by one run.
 */
export class CronLoop implements AsyncDisposable {
  readonly #options: CronLoopOptions;
  readonly #clock: Clock;
  readonly #loop: DueLoop;

  constructor(options: CronLoopOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const due = dueCrons();
    this.#loop = new DueLoop({
      name: 'crons',
      log: options.log,
      clock: this.#clock,
      concurrency: cronBound.size,
      owner: cronBound.owner,
      list: async (now_ms) => {
        const now = new Date(now_ms);
        const listed = await due.list(options.db, { limit: LISTED, now });
        return { ...listed, due: listed.due.map(keyOf), next_ms: await findNextCron(options.db, now) };
      },
      reconcile: async (key) => {
        await this.#pass(key.split('\n', 1)[0] ?? '');
        return settled;
      },
    });
  }

  start(): this {
    this.#loop.start();
    return this;
  }

  /** Takes note of a cron that was made or changed. */
  expect({ next_run_date }: NextRun): void {
    if (next_run_date !== null) this.#loop.expect(Date.parse(next_run_date));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#loop[Symbol.asyncDispose]();
  }

  async #pass(cron_id: string): Promise<void> {
    const { db, epoch } = this.#options;
    const cron = await findCron(db, cron_id);
    if (cron === undefined || cron.next_run_date === null || cron.next_run_id === null) return;
    const now = new Date(this.#clock.now());
    if (Date.parse(cron.next_run_date) <= now.getTime()) {
      await this.#begin(cron, cron.next_run_id);
      const next = nextRun(cron, now);
      await advanceCron(db, cron, { next, epoch });
      this.expect(next);
    } else this.expect(cron);
  }

  /** Skips a run that is refused, and logs it; after an outage it is tried again. */
  async #begin(cron: Cron, run_id: string): Promise<void> {
    const { runs, begin, log } = this.#options;
    if ((await runs.find(run_id)) !== undefined) return;
    try {
      await begin(cron, run_id);
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined || ['unavailable', 'limit', 'internal'].includes(problem.kind)) throw error;
      log.warn('a run of a cron could not begin', { cron_id: cron.cron_id, error });
    }
  }
}

/** The date of the run after this time, and its id. */
export function nextRun(cron: CronTimes, after: Date): NextRun {
  const date = nextRunOf(cron, after);
  return { next_run_date: date?.toISOString() ?? null, next_run_id: date === null ? null : uuidv7() };
}
