import { silentLog, uuidv7 } from '@roadstead/kit';
import type { UnderLock } from '@roadstead/postgres';
import { expect, it } from 'vitest';
import { termOf } from '../search/term-rules.ts';
import { driftOf } from '../testing/drift.ts';
import { type Fixture, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { lockDigest } from '../records/change-store.ts';
import { digestSome } from './digest-step-work.ts';

/** One part of a step's runs is written while the entries of the next are prepared, on one connection. */

const RUNS = 250;
const PART = 100;

async function sendRuns(fixture: Fixture): Promise<void> {
  const at = new Date(Date.now() - 1000).toISOString();
  const run = (index: number) => ({
    id: uuidv7(),
    name: `run ${index}`,
    run_type: 'chain',
    session_name: 'parts',
    start_time: at,
    end_time: at,
    inputs: { index },
    tags: [index === 42 ? 'indigestible' : 'plain'],
  });
  const body = JSON.stringify({ post: Array.from({ length: RUNS }, (_, index) => run(index)) });
  expect((await fixture.send('/runs/batch', { method: 'POST', body })).status).toBe(202);
}

/** What was observed of a step. */
interface StepObservations {
  /** The largest number of statements under way at once. */
  most: number;
  /** The runs whose entries were begun. */
  readonly prepared: Set<string>;
  /** The number of written runs of each part. */
  readonly sizes: number[];
}

interface Hooks {
  /** A statement lasts as long as this promise. */
  readonly onStatement?: (sql: string, seen: StepObservations) => Promise<void> | void;
  readonly onPreparation?: (seen: StepObservations) => void;
}

function watch(
  tx: UnderLock<'digest'>,
  seen: StepObservations,
  { onStatement, onPreparation }: Hooks,
): UnderLock<'digest'> {
  let under_way = 0;
  const lookAt = (row: { readonly run_id: string; readonly name: string }) => {
    const { name } = row;
    const get = () => {
      seen.prepared.add(row.run_id);
      onPreparation?.(seen);
      return name;
    };
    Object.defineProperty(row, 'name', { get });
  };
  const step =
    <R>(method: (sql: string, values?: readonly unknown[]) => Promise<R>) =>
    async (sql: string, values?: readonly unknown[]): Promise<R> => {
      under_way += 1;
      seen.most = Math.max(seen.most, under_way);
      try {
        await onStatement?.(sql, seen);
        const result = await method(sql, values);
        if (sql.includes('s.id is null as gone'))
          for (const row of result as Parameters<typeof lookAt>[0][]) lookAt(row);
        return result;
      } finally {
        under_way -= 1;
      }
    };
  const { query, one, maybe, run } = tx;
  const watched = { query: step(query), one: step(one), maybe: step(maybe), run: step(run) };
  return watched as unknown as UnderLock<'digest'>;
}

/** Sends the runs, and keeps the service's own digest from them until the work is done. */
async function withRuns(fixture: Fixture, work: (tx: UnderLock<'digest'>) => Promise<void>): Promise<void> {
  await fixture.fresh.db.transaction(async (tx) => {
    const locked = await lockDigest(tx, WORKSPACE);
    await sendRuns(fixture);
    await work(locked);
  });
}

/** One step over all of them. */
async function digestAll(tx: UnderLock<'digest'>, hooks: Hooks = {}): Promise<StepObservations> {
  const seen: StepObservations = { most: 0, prepared: new Set(), sizes: [] };
  const onDigested = async (_tx: unknown, runs: readonly unknown[]) => void seen.sizes.push(runs.length);
  await digestSome(watch(tx, seen, hooks), { workspace_id: WORKSPACE, onDigested, log: silentLog });
  return seen;
}

const until = async (isSo: () => boolean): Promise<void> => {
  await expect.poll(isSo).toBe(true);
};

const found = async ({ fresh: { db } }: Fixture) =>
  db.query(
    'select cardinality(terms) = 0 as is_empty, count(*)::int as count from traces.search group by 1 order by 1',
  );
const isUpsert = (sql: string) => sql.includes('insert into traces.search');

it.each([
  ['takes all rows', false],
  ['refuses one', true],
])(
  'when the database %s, then a part is prepared while the one before is written',
  async (_what, isRefused) => {
    await using fixture = await startFixture();
    const { db } = fixture.fresh;
    const refusal = `check (not terms @> array[${termOf('tag', 'indigestible')}::bigint])`;
    if (isRefused) await db.run(`alter table traces.search add ${refusal}`);
    await withRuns(fixture, async (tx) => {
      const seen = await digestAll(tx, {
        // No row is written before the next part, if there is one, is prepared.
        onStatement: async (sql, { prepared, sizes }) => {
          const next = Math.min((sizes.length + 2) * PART, RUNS);
          if (isUpsert(sql)) await until(() => prepared.size === next);
        },
      });
      expect(seen).toMatchObject({ most: 1, sizes: [PART, PART, RUNS - 2 * PART] });
    });
    const empty = isRefused ? [{ is_empty: true, count: 1 }] : [];
    expect(await found(fixture)).toEqual([{ is_empty: false, count: RUNS - empty.length }, ...empty]);
    expect(await driftOf(db)).toEqual([]);
  },
);

it('when a part can’t be prepared, then the one before is written before anything is undone', async () => {
  await using fixture = await startFixture();
  let isBroken = false;
  await withRuns(fixture, async (tx) => {
    const seen = await digestAll(tx, {
      onStatement: async (sql) => {
        if (isUpsert(sql)) await until(() => isBroken);
      },
      onPreparation: ({ prepared }) => {
        if (isBroken || prepared.size < PART * 1.5) return;
        isBroken = true;
        throw new Error('This part breaks.');
      },
    });
    // Nothing is rolled back while something is under way; then the halves of the runs are digested.
    expect(seen).toMatchObject({ most: 1, sizes: [PART, PART, 25, PART, 25] });
  });
  expect(await found(fixture)).toEqual([{ is_empty: false, count: RUNS }]);
  expect(await driftOf(fixture.fresh.db)).toEqual([]);
});

it('when a step is killed before any statement, then everything is as it was', async () => {
  await using fixture = await startFixture();
  const broken = Object.assign(new Error('The connection broke.'), { code: 'ECONNRESET' });
  await withRuns(fixture, async (tx) => {
    const attempt = async (onStatement: () => void) => {
      await tx.run('savepoint step');
      const seen = await digestAll(tx, { onStatement }).catch((error: unknown) => error);
      await tx.run('rollback to savepoint step');
      return seen;
    };
    let statements = 0;
    await attempt(() => void (statements += 1));
    expect(statements).toBeGreaterThan(15);
    for (let left = 0; left < statements; left += 1) {
      let count = left;
      const failure = await attempt(() => {
        count -= 1;
        if (count < 0) throw broken;
      });
      expect(failure).toBe(broken);
    }
    await digestAll(tx);
  });
  expect(await driftOf(fixture.fresh.db)).toEqual([]);
});
