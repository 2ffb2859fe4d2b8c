import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Manifest, RunResult } from '@roadstead/contracts/host';
import { assistantIdOf, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { applyEvent } from '../tasks/task-replay.ts';
import type { Task } from '../tasks/task.ts';
import { engineDatabase } from '../testing/engine-database.ts';
import { openTestEngine, type Script, type TestEngine } from '../testing/test-engine.ts';
import type { MultitaskStrategy } from '../runs/run.ts';

/** No matter what clients, hosts and engines do, each run ends once, no thread stays busy, a stream gives each word once. */

const graph = { graph_id: 'agent', description: null, channels: ['messages'], has_messages: true };
const manifest: Manifest = { graphs: [graph], langgraph_version: null };
const owner = { principal: 'workspace:w', assistant_id: assistantIdOf('agent') };
const never = new AbortController().signal;
const THREADS = 3;

type Step =
  | {
      readonly kind: 'create';
      readonly thread: number;
      readonly strategy: MultitaskStrategy;
      readonly after_ms: number;
    }
  | { readonly kind: 'message'; readonly thread: number }
  | { readonly kind: 'cancel'; readonly which: number; readonly action: 'interrupt' | 'rollback' }
  | { readonly kind: 'death' | 'restart' | 'takeover' | 'pause' };

const thread = fc.nat(THREADS - 1);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('create' as const),
        thread,
        strategy: fc.constantFrom<MultitaskStrategy>('enqueue', 'reject', 'interrupt', 'rollback'),
        after_ms: fc.constantFrom(0, 0, 20),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('message' as const), thread }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('cancel' as const),
        which: fc.nat(20),
        action: fc.constantFrom('interrupt' as const, 'rollback' as const),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('death' as const, 'restart' as const, 'takeover' as const),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('pause' as const) }) },
  ),
  { minLength: 5, maxLength: 25 },
);

const WORDS = ['one ', 'two ', 'three'];
const done: RunResult = { outcome: 'success', interrupts: [], output: null };
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A deployment whose hosts die and whose engines follow each other as they are told. */
class World implements AsyncDisposable {
  readonly #db: Database;
  readonly #engines: TestEngine[] = [];
  readonly #threads = Array.from({ length: THREADS }, () => ({ thread_id: uuidv7(), made: false }));
  readonly #contexts = Array.from({ length: THREADS }, () => uuidv7());
  #death = Promise.withResolvers<RunResult>();
  #deaths = 0;
  readonly runs: string[] = [];
  readonly tasks: Task[] = [];

  constructor(db: Database) {
    this.#db = db;
    this.#death.promise.catch(() => undefined);
  }

  get engine(): TestEngine {
    const engine = this.#engines.at(-1);
    if (engine === undefined) throw new Error('There is no engine.');
    return engine;
  }

  async open(): Promise<void> {
    const script: Script = async ({ run_id, attempt }, emit, signal) => {
      const death = this.#death.promise;
      const stopped = new Promise<RunResult>((resolve) =>
        signal?.addEventListener('abort', () => resolve({ outcome: 'cancelled', reason: 'cancel' })),
      );
      // A host that is told to end may have said something already.
      const says = async () => {
        const id = `${run_id}.${attempt}`;
        for (const text of WORDS) {
          emit([{ kind: 'chunk', message_id: id, text }]);
          for (let at = 0; at < 20; at += 1) await turn();
        }
        emit([{ kind: 'message', message: { id, role: 'assistant', text: WORDS.join('') } }]);
        return done;
      };
      return Promise.race([says(), death, stopped]);
    };
    const engine = await openTestEngine(this.#db, script);
    engine.activate(uuidv7(), manifest);
    this.#engines.push(engine);
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'create':
        return this.#create(step);
      case 'message': {
        const context_id = this.#contexts[step.thread];
        const message_id = uuidv7();
        const message = { message_id, role: 'user', parts: [{ kind: 'text', text: 'hi' }] } as const;
        const request = { context_id, digest: 'd', message, input: {}, stream: true, metadata: {} };
        this.tasks.push(await this.engine.begin(owner, { ...request, tracing_thread_id: undefined }));
        return;
      }
      case 'cancel': {
        const run_id = this.runs[step.which % Math.max(1, this.runs.length)];
        const { action } = step;
        if (run_id !== undefined) await this.engine.engine.cancel(run_id, { action, reason: 'Asked for.' });
        return;
      }
      case 'death':
        // Three end a run.
        if ((this.#deaths += 1) > 2) return;
        this.#death.reject(new Error('The host died.'));
        this.#death = Promise.withResolvers();
        this.#death.promise.catch(() => undefined);
        return;
      case 'restart':
        await this.#engines.pop()?.[Symbol.asyncDispose]();
        return this.open();
      case 'takeover':
        return this.open();
      case 'pause':
        for (let at = 0; at < 30; at += 1) await turn();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const engine of this.#engines) await engine[Symbol.asyncDispose]();
  }

  async #create({ thread: at, strategy, after_ms }: Extract<Step, { kind: 'create' }>): Promise<void> {
    const { thread_id, made } = this.#threads[at] ?? { thread_id: uuidv7(), made: false };
    const run = await this.engine.engine
      .create({
        thread: made ? { thread_id } : { thread_id, create: { metadata: {} } },
        assistant_id: owner.assistant_id,
        graph_id: 'agent',
        principal: owner.principal,
        kwargs: { input: 'hi' },
        metadata: {},
        multitask_strategy: strategy,
        after_ms,
        chunks: true,
        plain: true,
        values: false,
      })
      .catch((error: unknown) => {
        if ((error as { code?: string }).code !== 'thread_busy') throw error;
      });
    if (run === undefined) return;
    this.#threads[at] = { thread_id, made: true };
    this.runs.push(run.run_id);
  }
}

test('when anything happens, then runs end once, threads get free and streams say each word once', async () => {
  await using database = await engineDatabase();
  const { db } = database;
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      await using world = new World(db);
      await world.open();
      for (const step of taken) await world.take(step);

      await expect.poll(() => db.query('select run_id from queue'), { interval: 10 }).toEqual([]);
      const unfinished = `select run_id from runs where status in ('pending', 'running')`;
      expect(await db.query(unfinished)).toEqual([]);
      const ends = `select run_id, count(*)::integer as ends from run_events, jsonb_array_elements(events) as event
        where event ->> 'kind' = 'end' group by run_id having count(*) <> 1`;
      expect(await db.query(ends)).toEqual([]);
      const endless = `select run_id from runs where not exists (select from run_events e where e.run_id = runs.run_id)`;
      expect(await db.query(endless)).toEqual([]);

      for (const { id } of world.tasks) {
        const stored = await world.engine.task(owner, id);
        if (stored === undefined) throw new Error('The task is gone.');
        expect(stored.status.state).toBe('completed');
        // From the beginning, and from each of its events on.
        const begun: Task = {
          ...stored,
          seq: 1,
          artifacts: [],
          status: { ...stored.status, state: 'submitted' },
        };
        const reads = [begun];
        for await (const event of world.engine.events(id, 1, { signal: never }))
          reads.push(applyEvent(reads.at(-1) ?? begun, event));
        for (const from of reads.slice(0, -1)) {
          let read = from;
          for await (const event of world.engine.events(id, from.seq, { signal: never }))
            read = applyEvent(read, event);
          expect(read.artifacts.at(-1)?.parts).toEqual([{ kind: 'text', text: WORDS.join('') }]);
        }
        expect(stored.artifacts.map(({ parts }) => parts)).toEqual([
          [{ kind: 'text', text: WORDS.join('') }],
        ]);
      }
    }),
    { numRuns: 15, interruptAfterTimeLimit: 12_000 },
  );
});
