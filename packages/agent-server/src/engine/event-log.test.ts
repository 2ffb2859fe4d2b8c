import { expect, test } from 'vitest';
import { silentLog } from '@roadstead/kit';
import type { TaskEvent } from '../tasks/task.ts';
import type { EventRecord } from './engine-store.ts';
import { EventLog } from './event-log.ts';

const piece = (seq: number, artifact_id: string): TaskEvent => ({
  seq,
  kind: 'artifact',
  artifact: { artifact_id, parts: [{ kind: 'text', text: `${seq} ` }] },
  append: seq > 2,
  last_chunk: false,
});

test('while the database is slow, the pending events of a task take no more memory than its text', async () => {
  const written: (readonly EventRecord[])[] = [];
  const slow = Promise.withResolvers<void>();
  const log = new EventLog({
    insert: async (records) => {
      written.push(records);
      await slow.promise;
    },
    publish: () => undefined,
    closed: new AbortController().signal,
    log: silentLog,
    window_ms: 1,
  });
  log.add('task', [piece(1, 'odd')]);
  await expect.poll(() => written.length).toBe(1);
  for (let seq = 2; seq <= 10_001; seq += 1) log.add('task', [piece(seq, seq % 2 === 0 ? 'even' : 'odd')]);
  const taken = log.take('task');
  slow.resolve();
  const events = await taken;
  expect(events.length).toBeLessThan(600);
  const said = (id: string) =>
    events
      .flatMap((event) =>
        event.kind === 'artifact' && event.artifact.artifact_id === id ? event.artifact.parts : [],
      )
      .map((part) => (part.kind === 'text' ? part.text : ''))
      .join('');
  expect(said('even').split(' ')).toHaveLength(5001);
  expect(said('odd').split(' ')).toHaveLength(5001);
});
