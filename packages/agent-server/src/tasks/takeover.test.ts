import type { HostEvent, Manifest, RunResult } from '@roadstead/contracts/host';
import { uuidv7 } from '@roadstead/kit';
import { migrate, openDatabase } from '@roadstead/postgres';
import { expect, test } from 'vitest';
import { freshDatabase } from '@roadstead/testing';
import { ENGINE_SCHEMA, engineMigrations } from '../database/engine-migrations.ts';
import { openTestEngine } from '../testing/test-engine.ts';
import { applyEvent } from './task-replay.ts';
import type { Task } from './task.ts';

const manifest: Manifest = {
  graphs: [{ graph_id: 'agent', description: null, channels: ['messages'], has_messages: true }],

  langgraph_version: null,
};
const never = new AbortController().signal;
const done: RunResult = { outcome: 'success', interrupts: [], output: null };
const chunk = (text: string): HostEvent => ({ kind: 'chunk', message_id: 'answer', text });
const said = ({ artifacts }: Task) =>
  artifacts.flatMap(({ parts }) => parts.map((part) => (part.kind === 'text' ? part.text : ''))).join('');

test('when another engine takes a task over, then readers go on there, and former streams end', async () => {
  await using fresh = await freshDatabase();
  await using db = openDatabase({ url: fresh.url, max: 4, name: 'test', schema: ENGINE_SCHEMA });
  await migrate(db, { schema: ENGINE_SCHEMA, migrations: engineMigrations });
  const taken = Promise.withResolvers<void>();
  const over = Promise.withResolvers<RunResult>();
  await using former = await openTestEngine(db, async (_params, emit) => {
    emit([chunk('One ')]);
    await taken.promise;
    emit([chunk('of the former')]);
    return over.promise;
  });
  using _ = { [Symbol.dispose]: () => over.resolve(done) };
  former.activate(uuidv7(), manifest);
  const owner = { principal: 'workspace:w', assistant_id: former.assistants()[0]?.assistant_id ?? '' };
  const begun = await former.begin(owner, {
    context_id: undefined,
    message: { message_id: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] },
    digest: 'd',
    input: {},
    stream: true,
    tracing_thread_id: undefined,
    metadata: {},
  });
  let had = begun;
  let waits = false;
  const stream = (async () => {
    for await (const event of former.events(begun.id, begun.seq, { signal: never })) {
      had = applyEvent(had, event);
      waits ||= said(had) !== '';
    }
  })();
  await expect.poll(() => waits).toBe(true);
  await using present = await openTestEngine(db, async (_params, emit) => {
    emit([
      chunk('One two '),
      chunk('three'),
      { kind: 'message', message: { id: 'answer', role: 'assistant', text: 'One two three' } },
    ]);
    return done;
  });
  taken.resolve();
  await stream;
  expect(said(had)).toBe('One ');
  present.activate(uuidv7(), manifest);
  for await (const event of present.events(begun.id, had.seq, { signal: never }))
    had = applyEvent(had, event);
  const ended = await present.settled(begun.id, never);
  expect([had.status.state, said(ended)]).toEqual(['completed', 'One two three']);
  expect(had.artifacts.at(-1)?.parts).toEqual([{ kind: 'text', text: 'One two three' }]);
});
