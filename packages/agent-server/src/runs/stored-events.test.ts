import type { HostEvent, Manifest } from '@roadstead/contracts/host';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { assistantIdOf } from '@roadstead/kit';
import { deleteOldEvents } from '../retention/retention-store.ts';
import { engineDatabase } from '../testing/engine-database.ts';
import { openTestEngine } from '../testing/test-engine.ts';
import type { RunEvent } from './run.ts';

/** What hosts say once for many events: who reads them, whenever and from wherever, reads each whole. */

const manifest: Manifest = {
  graphs: [{ graph_id: 'agent', description: null, channels: ['messages'], has_messages: true }],
  langgraph_version: null,
};
const PIECES = 6;
const metadata = { langgraph_node: 'say', text: 'half \ud83d a pair, "quoted"', long: 'x'.repeat(1000) };
const more = { langgraph_node: 'other' };
const piece = (text: string, rest: object): HostEvent => ({
  kind: 'stream',
  event: 'messages',
  ns: [],
  speaker: 'model',
  data: [{ type: 'AIMessageChunk', content: text }],
  ...rest,
});

let step = Promise.withResolvers<void>();
const database = useFixture(engineDatabase);
const engine = useFixture(() =>
  openTestEngine(database().db, async (_params, emit) => {
    const tell = async (event: HostEvent) => {
      emit([event]);
      await step.promise;
      step = Promise.withResolvers();
    };
    await tell(piece('0', { data: [{ content: '0' }, metadata], shares: 1 }));
    for (let n = 1; n < PIECES; n += 1) await tell(piece(String(n), { shared: 1 }));
    await tell(piece('other', { data: [{ content: 'other' }, more], shares: 2 }));
    emit([piece('and', { shared: 1 }), piece('both', { shared: 2 })]);
    return { outcome: 'success', interrupts: [], output: null };
  }),
);
beforeAll(() => {
  engine().activate(crypto.randomUUID(), manifest);
});

async function read(run_id: string, after_seq: number, each?: (event: RunEvent) => void) {
  const events: RunEvent[] = [];
  for await (const event of engine().engine.events(run_id, {
    after_seq,
    signal: new AbortController().signal,
  })) {
    events.push(event);
    each?.(event);
    if (event.kind === 'end') break;
  }
  return events;
}

const said = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'stream'
      ? [[(event.data as [{ content: string }])[0].content, (event.data as unknown[])[1]]]
      : [],
  );

test('when a run is read live, later or from any event on, then each event is whole', async () => {
  const run = await engine().engine.create({
    thread: { thread_id: crypto.randomUUID(), create: { metadata: {} } },
    assistant_id: assistantIdOf('agent'),
    graph_id: 'agent',
    principal: 'someone',
    kwargs: { input: {}, stream_mode: ['messages-tuple'] },
    metadata: {},
    multitask_strategy: 'enqueue',
    chunks: false,
    plain: false,
    values: false,
  });
  const { run_id } = run;
  // Each is committed before the next is told.
  const live = await read(run_id, 0, ({ kind }) => kind === 'stream' && step.resolve());
  // The database has no halves of pairs; a slow reader gets what is stored.
  const storedText = (one: unknown) => JSON.stringify(one).replace('\\ud83d', '\\ufffd');
  const about = JSON.parse(storedText(metadata)) as unknown;
  const texts = said(live).map(([text]) => text);
  expect(texts).toEqual(['0', '1', '2', '3', '4', '5', 'other', 'and', 'both']);
  expect(said(live).map(([, last]) => storedText(last))).toEqual(
    [...Array.from({ length: PIECES }, () => metadata), more, metadata, more].map(storedText),
  );
  const stored = await read(run_id, 0);
  expect(stored.map(({ seq }) => seq)).toEqual(live.map(({ seq }) => seq));
  expect(said(stored).map(([text]) => text)).toEqual(texts);
  for (const [at, { seq }] of stored.entries()) expect(await read(run_id, seq)).toEqual(stored.slice(at + 1));
  expect(said(stored).map(([, last]) => last)).toEqual([
    ...Array.from({ length: PIECES }, () => about),
    more,
    about,
    more,
  ]);
  const rows = await database().db.query<{ events: string }>(
    'select events::text from run_events where run_id = $1 order by seq',
    [run_id],
  );
  expect(rows.filter(({ events }) => events.includes('xxxx'))).toHaveLength(2);
  // What is old is deleted but for a run's last words, which may name what is gone.
  await database().db.run(`update runs set ended_at = now() - interval '2 hours' where run_id = $1`, [
    run_id,
  ]);
  await deleteOldEvents(database().db, { hours: 1, limit: 1000 });
  expect((await read(run_id, 0)).at(-1)?.kind).toBe('end');
});
