import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { createLog, type Log, uuidv7 } from '@roadstead/kit';
import { expect, it } from 'vitest';
import { loopInProcess } from '@roadstead/testing/processes';
import { startIngestion } from '../testing/ingestion-fixture.ts';
import { type Fixture, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { lockRuns, untilLocked } from '../testing/locked-runs.ts';
import type { IngestionLoops } from '../testing/looping-ingestion.ts';
import { sentRoot } from '../testing/sent-runs.ts';

/** The fate of a thread that ends by itself, and of the requests that it had. */

const loopingIngestion = new URL('../testing/looping-ingestion.ts', import.meta.url);

const send = (fixture: Fixture, id = uuidv7()) =>
  fixture.send('/runs', { method: 'POST', body: sentRoot(id) });

/** The threads that are started from here on. */
function watchThreads() {
  const threads: Worker[] = [];
  const watch = (worker: Worker) => void threads.push(worker);
  process.on('worker', watch);
  return { threads, [Symbol.dispose]: () => void process.off('worker', watch) };
}

function keptLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  return { lines, log: createLog({ level: 'warn', write: (line) => void lines.push(line) }) };
}

it('when a thread ends, then what waits for it is refused, and sent again is stored once', async () => {
  using watched = watchThreads();
  const { log, lines } = keptLog();
  await using fixture = await startFixture({ thread: true, log });
  const { db } = fixture.fresh;
  const id = uuidv7();
  {
    await using _lock = await lockRuns(db);
    const answer = send(fixture, id);
    await untilLocked(db);
    await watched.threads[0]?.terminate();
    const { status, headers } = await answer;
    expect([status, headers.get('retry-after')]).toEqual([503, '2']);
  }
  expect((await send(fixture, id)).status).toBe(202);
  expect(await db.query('select run_id from traces.runs')).toEqual([{ run_id: id }]);
  expect(lines).toEqual([expect.stringMatching(/"the ingestion thread ended","refused":1,"after_ms":0/)]);
  expect(await fixture.service.warnings()).toEqual([]);
});

const limits = { start_ms: 60_000, ping_ms: 20, silent_ms: 500, unresponsive_ms: 5000 };

it('when a thread loops, then it is ended and replaced, and what waits for it is refused', async () => {
  await using fixture = await startIngestion();
  const loops: IngestionLoops = {
    rounds: 1,
    work: fixture.work,
    workspace_id: WORKSPACE,
    sent: sentRoot(uuidv7()),
    limits,
  };
  // The thread loops in a process of its own, since all the other tests share this one.
  const { lines, ...ended } = await loopInProcess(loopingIngestion, loops);
  expect(ended).toEqual({ rounds: 1, code: 0, signal: null });
  expect(lines).toEqual([
    expect.stringContaining('"the ingestion thread does not answer"'),
    expect.stringMatching(/the ingestion thread ended.*"refused":1,.*did not answer for 5 s/),
  ]);
});

it('when a thread takes too long to start, then it is ended and replaced', async () => {
  const { log, lines } = keptLog();
  // No thread loads its modules in a millisecond.
  await using _fixture = await startIngestion({ thread: true, log, limits: { ...limits, start_ms: 1 } });
  await expect.poll(() => lines.length).toBeGreaterThan(1);
  expect(lines[0]).toMatch(/"refused":0,"after_ms":0,.*did not answer for 0.001 s/);
  expect(lines[1]).toMatch(/"refused":0,"after_ms":200,.*did not answer for 0.001 s/);
});

it('when a thread ends again and again, then it starts after a pause, and says so until then', async () => {
  using watched = watchThreads();
  const { log, lines } = keptLog();
  await using fixture = await startFixture({ thread: true, log });
  expect((await send(fixture)).status).toBe(202);
  // Each pause is longer; the last one is long enough to observe.
  for (let ends = 0; ends < 4; ends += 1) {
    await expect.poll(() => watched.threads.length).toBe(ends + 1);
    await watched.threads[ends]?.terminate();
  }
  expect((await send(fixture)).status).toBe(503);
  expect(await fixture.service.warnings()).toEqual([expect.stringContaining('restarted')]);
  // A read that needs the digest isn't refused because of it.
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ trace: uuidv7(), filter: 'search("heron")' });
  expect((await fixture.send('/runs/query', { method: 'POST', body, headers })).status).toBe(200);
  await expect.poll(async () => (await send(fixture)).status).toBe(202);
  const pauses = lines.map((line) => /"after_ms":(\d+)/.exec(line)?.[1]).filter(Boolean);
  expect(pauses).toEqual(['0', '200', '1000', '5000']);
});

it('when a thread runs out of memory, then it is replaced, and the log says why it ended', async () => {
  using watched = watchThreads();
  const { log, lines } = keptLog();
  await using fixture = await startFixture({ thread: true, log });
  expect((await send(fixture)).status).toBe(202);
  const [thread] = watched.threads;
  // Emits the error as the thread itself would.
  thread?.emit('error', Object.assign(new Error('out of memory'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }));
  await thread?.terminate();
  expect((await send(fixture)).status).toBe(202);
  expect(lines).toEqual([expect.stringMatching(/the ingestion thread ended.*out of memory/)]);
});

it('when a body’s bytes are its own, then they are handed over, and shared ones are copied', async () => {
  using watched = watchThreads();
  const { log, lines } = keptLog();
  await using fixture = await startIngestion({ thread: true, log });
  const { ingestion, fresh } = fixture;
  const sent = sentRoot(uuidv7());
  const own = Buffer.alloc(sent.length, sent);
  const shared = Buffer.from(sent);
  expect([own.buffer.byteLength, shared.buffer.byteLength > shared.length]).toEqual([own.length, true]);
  for (const bytes of [own, shared]) {
    const taken = await ingestion.take({ dialect: 'run', workspace_id: WORKSPACE, bytes });
    expect(taken).toEqual({ answer: { message: 'Stored.' }, rejected: 0 });
  }
  expect([own.length, shared.toString()]).toEqual([0, sent]);
  const ended = watched.threads.map((thread) => once(thread, 'exit'));
  await ingestion[Symbol.asyncDispose]();
  expect(await Promise.all(ended)).toHaveLength(1);
  const open = `select pid from pg_stat_activity where datname = current_database() and application_name = 'roadstead traces'`;
  await expect.poll(() => fresh.db.query(open)).toEqual([]);
  expect(lines).toEqual([]);
});
