import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { engineDatabase } from '../../testing/engine-database.ts';
import { listeningAgent } from '../../testing/listening-agent.ts';
import type { EventStreamFace } from './event-stream-face.ts';
import { seqIn } from './protocol-event.ts';
import { beginningOf } from './thread-events.ts';

/** Where a stream of a thread begins, on which something has run before: not at a run whose end is taken for another's. */

const listening = useFixture(listeningAgent);
const client = useFixture(() => listening().client());
const database = useFixture(engineDatabase);

const says = (content: string) => ({ messages: [{ role: 'user', content }] });
const contentsIn = (values: unknown) =>
  (values as { messages: { content: string }[] } | undefined)?.messages.map(({ content }) => content);

/** A thread on which the client has waited for a run. */
async function threadWithRun(): Promise<string> {
  const { thread_id } = await client().threads.create();
  await client().runs.wait(thread_id, 'agent', { input: says('before') });
  return thread_id;
}

test('when a client streams after it waited for a run, then its output is that of its own run', async () => {
  const stream = client().threads.stream(await threadWithRun(), { assistantId: 'agent' });
  // The stream is open, and has begun, before the run is there.
  const output = stream.output;
  await stream.subscribe({ channels: ['lifecycle'] });
  await stream.run.start({ input: says('after') });
  expect(contentsIn(await output)?.slice(0, 3)).toEqual(['before', expect.any(String), 'after']);
  await stream.close();
});

/** Adds a run that is streamed. */
async function addRun(thread_id: string, status: string): Promise<string> {
  const run_id = uuidv7();
  await database().db.run(
    `insert into runs (run_id, thread_id, assistant_id, graph_id, revision_id, attempt, status, chunks, metadata, kwargs)
     values ($1, $2, $1, 'echo', $1, 1, $3, false, '{}', $4::text::jsonb)`,
    [run_id, thread_id, status, JSON.stringify({ stream_mode: ['values'] })],
  );
  return run_id;
}

const endRun = (run_id: string) =>
  database().db.run(`update runs set status = 'success' where run_id = $1`, [run_id]);

test('when a run begins and ends while a stream looks where to begin, then it begins there', async () => {
  const { db } = database();
  const thread_id = uuidv7();
  await db.run(`insert into threads (thread_id, assistant_id, graph_id) values ($1, $1, 'echo')`, [
    thread_id,
  ]);
  await addRun(thread_id, 'success');
  const own = await addRun(thread_id, 'pending');
  let unfinished = [own];
  const looking = async (sql: string, values: readonly unknown[]) => {
    const changed = await db.run(sql, values);
    await endRun(own);
    unfinished = [];
    return changed;
  };
  const face = {
    db: { run: looking, maybe: db.maybe.bind(db) },
    runs: { unfinished: () => unfinished },
  } as unknown as EventStreamFace;
  expect(await beginningOf(face, thread_id)).toBe(seqIn(2, 0));
  // A later look finds it as the newest that has ended, and tells all of it.
  expect(await beginningOf(face, thread_id)).toBe(seqIn(2, 0));
});
