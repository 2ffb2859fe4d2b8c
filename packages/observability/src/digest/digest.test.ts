import { silentLog, uuidv7 } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import { ApiError } from '@roadstead/contracts';
import { useFixture } from '@roadstead/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keepPartitions } from '../deletions/retention-loop.ts';
import { DAY_MS } from '../partitions/week-rules.ts';

import { driftOf } from '../testing/drift.ts';
import { startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

import { lockDigest, noteChanges } from '../records/change-store.ts';
import { startDigest } from './digest-loop.ts';
import { digestSome } from './digest-step-work.ts';

/** Rollups equal a count of the runs, after any change of runs and any kill of the process. */

/** Lets a transaction fail in front of its n-th statement, as if the process ended there. */
class Killer {
  #left = Infinity;
  armed(statements: number): void {
    this.#left = statements;
  }
  disarmed(): void {
    this.#left = Infinity;
  }
  between = (db: Database): Database => ({
    ...db,
    transaction: (work) => db.transaction((tx) => work(this.#watched(tx))),
    patientTransaction: (work) => db.patientTransaction((tx) => work(this.#watched(tx))),
  });
  #watched(tx: Transaction): Transaction {
    const step = <A extends unknown[], R>(method: (...args: A) => Promise<R>) => {
      return async (...args: A): Promise<R> => {
        this.#left -= 1;
        if (this.#left < 0) throw new Error('The process was killed.');
        return method(...args);
      };
    };
    const { query, one, maybe, run } = tx;
    return {
      query: step(query),
      one: step(one),
      maybe: step(maybe),
      run: step(run),
    } as unknown as Transaction;
  }
}

const killer = new Killer();
let now_ms = Date.parse('2026-01-07T12:00:00Z');
const fixture = useFixture(() => startFixture({ between: killer.between, clock: { now: () => now_ms } }));

const projects = ['alpha', 'beta', 'gamma'];
const stamp = (ms: number) => new Date(ms).toISOString();

interface Trace {
  readonly ids: readonly [root: string, model: string, leaf: string];
  readonly told: boolean;
  readonly project: number;
  readonly seconds: number;
  readonly begins_ms: number;
}

/** The parts of a trace that clients send, each of which is complete in itself. */
function partOf(trace: Trace, part: number): object {
  const { ids, begins_ms } = trace;
  const place = (index: number) => ({
    ...(index === 0 ? {} : { parent_run_id: ids[index - 1] }),
    ...(trace.told ? { trace_id: ids[0], dotted_order: ids.slice(0, index + 1).join('.') } : {}),
    start_time: stamp(begins_ms + index * 10),
  });
  const usage = (tokens: number, cost: number) => ({
    usage_metadata: {
      input_tokens: tokens,
      output_tokens: 2 * tokens,
      total_tokens: 3 * tokens,
      total_cost: cost,
      input_cost: cost / 4,
    },
  });
  const [root, model, leaf] = ids;
  const end = stamp(begins_ms + trace.seconds * 1000);
  const parts: object[] = [
    {
      post: [
        { id: root, name: 'root', run_type: 'chain', session_name: projects[trace.project], ...place(0) },
      ],
    },
    { patch: [{ id: root, end_time: end, ...place(0) }] },
    { patch: [{ id: root, end_time: end, error: 'it broke', ...place(0) }] },
    { patch: [{ id: root, session_name: projects[(trace.project + 1) % 3], ...place(0) }] },
    { post: [{ id: model, run_type: 'llm', outputs: usage(3, 0.000_125), ...place(1) }] },
    {
      patch: [
        {
          id: model,
          outputs: usage(7, 0.375),
          events: [{ name: 'new_token', time: stamp(begins_ms + 40) }],
          ...place(1),
        },
      ],
    },
    { post: [{ id: leaf, run_type: 'llm', outputs: usage(11, 0.1), ...place(2) }] },
  ];
  return parts[part] ?? {};
}

type Step =
  | {
      readonly kind: 'send';
      readonly trace: number;
      readonly part: number;
      readonly kill: number | undefined;
    }
  | { readonly kind: 'remove'; readonly project: number; readonly kill: number | undefined }
  | { readonly kind: 'digest'; readonly kill: number | undefined };

const kill = fc.option(fc.nat(25), { nil: undefined, freq: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('send' as const), trace: fc.nat(3), part: fc.nat(6), kill }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), project: fc.nat(2), kill }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('digest' as const), kill }) },
);

async function take(step: Step, traces: readonly Trace[]): Promise<void> {
  if (step.kill !== undefined) killer.armed(step.kill);
  if (step.kind === 'send') {
    const trace = traces[step.trace];
    if (trace === undefined) return;
    const body = JSON.stringify(partOf(trace, step.part));
    const answer = await fixture().send('/runs/batch', { method: 'POST', body });
    killer.disarmed();
    // Clients repeat a request that was not acknowledged.
    if (answer.status !== 202) await fixture().send('/runs/batch', { method: 'POST', body });
  } else if (step.kind === 'remove') {
    const remove = async () => {
      const found = await fixture()
        .client()
        .listSessions({ query: { name: projects[step.project] ?? '' } });
      for (const { id } of found)
        await fixture()
          .client()
          .deleteSession({ params: { session_id: id } });
    };
    await remove().catch(async (error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 500) throw error;
      killer.disarmed();
      await remove();
    });
  } else {
    await using digest = startDigest({
      db: killer.between(fixture().fresh.db),
      log: silentLog,
      onDigested: async () => undefined,
    });
    await digest.caughtUp(WORKSPACE);
  }
  killer.disarmed();
}

const traces = fc.array(
  fc.record({
    told: fc.boolean(),
    project: fc.nat(2),
    seconds: fc.double({ min: 0, max: 5000, noNaN: true }),
    hours: fc.nat(100),
  }),
  { minLength: 4, maxLength: 4 },
);

it('when parts come in any order, again, moved, deleted or killed, then the counts are exact', async () => {
  await fc.assert(
    fc.asyncProperty(traces, fc.array(step, { minLength: 5, maxLength: 30 }), async (drawn, steps) => {
      const made = drawn.map(({ hours, ...trace }): Trace => ({
        ...trace,
        ids: [uuidv7(), uuidv7(), uuidv7()],
        begins_ms: now_ms - hours * 3_600_000,
      }));
      for (const one of steps) {
        await take(one, made);
        now_ms += DAY_MS / 8;
      }
      await expect
        .poll(() => fixture().fresh.db.query('select from traces.sessions where deleted_at is not null'))
        .toEqual([]);
      expect(await driftOf(fixture().fresh.db)).toEqual([]);
    }),
    { numRuns: 12 },
  );
  // An expired week takes its contribution with it.
  now_ms += 20 * DAY_MS;
  await keepPartitions(fixture().fresh.db, now_ms, silentLog);
  expect(await driftOf(fixture().fresh.db)).toEqual([]);
}, 300_000);

it('when two instances share the work, then the numbers are exact', async () => {
  const { db } = fixture().fresh;
  const instances = [1, 2].map(() => startDigest({ db, log: silentLog, onDigested: async () => undefined }));
  await using stack = new AsyncDisposableStack();
  for (const one of instances) stack.use(one);
  for (let index = 0; index < 40; index += 1) {
    const trace: Trace = {
      ids: [uuidv7(), uuidv7(), uuidv7()],
      told: true,
      project: index % 3,
      seconds: index,
      begins_ms: now_ms,
    };
    await take({ kind: 'send', trace: 0, part: 0, kill: undefined }, [trace]);
    await take({ kind: 'send', trace: 0, part: 5, kill: undefined }, [trace]);
    instances[index % 2]?.wake(WORKSPACE);
  }
  await Promise.all(instances.map((one) => one.caughtUp(WORKSPACE)));
  expect(await driftOf(fixture().fresh.db)).toEqual([]);
});

it('when a run is written again while its removal is digested, then it counts once', async () => {
  const { db } = fixture().fresh;
  const id = uuidv7();
  const body = JSON.stringify({
    post: [{ id, name: 'again', run_type: 'chain', session_name: 'again', start_time: stamp(now_ms) }],
  });
  const { tier, week } = await db.transaction(async (tx) => {
    await lockDigest(tx, WORKSPACE);
    await fixture().send('/runs/batch', { method: 'POST', body });
    return tx.one<{ tier: string; week: string }>(
      'delete from traces.changes where $1 = any (run_ids) returning tier, week',
      [id],
    );
  });
  // The state in which its removal is not digested yet, and the run came back after the runs were read.
  await db.transaction(async (tx) => {
    const locked = await lockDigest(tx, WORKSPACE);
    await noteChanges(tx, [{ workspace_id: WORKSPACE, tier, week, run_id: id }]);
    let is_first = true;
    const blind = {
      ...tx,
      query: async (sql: string, values?: unknown[]) => {
        const rows = await tx.query(sql, values);
        if (!is_first || !sql.includes('from traces.runs')) return rows;
        is_first = false;
        return [];
      },
    } as unknown as typeof locked;
    await digestSome(blind, { workspace_id: WORKSPACE, onDigested: async () => undefined, log: silentLog });
    await noteChanges(tx, [{ workspace_id: WORKSPACE, tier, week, run_id: id }]);
  });
  expect(await driftOf(fixture().fresh.db)).toEqual([]);
});
