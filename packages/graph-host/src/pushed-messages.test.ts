import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { HostUnderTest, texts } from './testing/host-process.ts';

const host = useFixture(
  () => new HostUnderTest(fileURLToPath(new URL('../fixtures/agents', import.meta.url))),
);

const run = (content: string, more: object = {}) =>
  host().run({
    thread_id: randomUUID(),
    graph_id: 'duet',
    input: { messages: [{ role: 'user', content }] },
    chunks: true,
    ...more,
  });

test.each([
  ['nothing', {}],
  ['messages', { stream: { modes: ['messages-tuple', 'values'], subgraphs: false } }],
  ['messages of the older way', { stream: { modes: ['messages'], subgraphs: false } }],
])('when %s is streamed, then a message is told once, as it is pushed', async (_, more) => {
  const { events } = await run('push', more);
  const plain = events.flatMap((event) =>
    event.kind === 'message' ? [event.message.text] : event.kind === 'chunk' ? [`${event.text}…`] : [],
  );
  const at = plain.indexOf('second one');
  expect(plain.slice(0, at).join('')).toContain('f…i…r…s…t…');
  expect(plain.slice(at + 1).filter((text) => text.endsWith('…')).length).toBeGreaterThan(0);
  expect(texts(events)).toEqual(['second one', 'first voice']);
});

test('when a node streams a graph of its own, then it hears all of it', async () => {
  const { events } = await run('stream within');
  expect(texts(events).map((text) => text.replaceAll('|', ''))).toEqual(['first voicesecond one']);
});
