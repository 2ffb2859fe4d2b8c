import { beforeAll, expect, test } from 'vitest';
import { longestHold, useFixture } from '@roadstead/testing';
import { openAgent } from '../testing/open-agent.ts';

/** What one client sends must not keep the others waiting: the aim is 50 ms; collecting garbage on a busy machine comes on top. */
const MOST_MS = 150;

const agent = useFixture(openAgent);
beforeAll(() => agent().serve('11111111-1111-4111-8111-111111111111'));

const rpc = (method: string, params: string) =>
  Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`);
const message = (parts: string, id: string) =>
  `{"message":{"kind":"message","role":"user","messageId":"${id}","parts":[${parts}]}}`;

test.each([
  [
    '800,000 keys',
    () => `{${Array.from({ length: 800_000 }, (_, at) => `"key ${at}":"value of it"`).join()}}`,
  ],
  ['10 MB of brackets', () => '['.repeat(10_000_000)],
  ['22 MB of empty lists', () => `[${Array.from({ length: 7_300_000 }, () => '[]').join()}]`],
])('when a message holds %s, then it is refused before it holds anybody up', async (_, data) => {
  const body = rpc('message/send', message(`{"kind":"data","data":${data()}}`, 'refused'));
  const { response, held_ms } = await watched(() => agent().call('agent', body));
  expect(response.status).toBe(413);
  expect(held_ms).toBeLessThan(MOST_MS);
});

test.each([
  ['one text of 12 MB', 'text', () => `{"kind":"text","text":"${'All is well. '.repeat(923_000)}"}`],
  [
    'a text in other alphabets',
    'text',
    () => `{"kind":"text","text":"${'Всё хорошо. 😀 '.repeat(160_000)}"}`,
  ],
  [
    '40,000 values',
    'data',
    () => `{"kind":"data","data":{"log":[${Array.from({ length: 40_000 }, () => '"a line"').join()}]}}`,
  ],
  [
    '40,000 keys',
    'data',
    () =>
      `{"kind":"data","data":{"log":[{${Array.from({ length: 40_000 }, (_, at) => `"k${at}":${at}`).join()}}]}}`,
  ],
])(
  'when a message holds %s, then it is stored, run, answered and read again without a hold-up',
  async (name, kind, part) => {
    const graph_id = kind === 'text' ? 'agent' : 'steps';
    const body = rpc('message/send', message(part(), name));
    const { response, held_ms } = await watched(() => agent().call(graph_id, body));
    const { result } = (await response.json()) as { result: { id: string; status: { state: string } } };
    expect(result.status.state).toBe('completed');
    const read = await watched(() => agent().call(graph_id, rpc('tasks/get', `{"id":"${result.id}"}`)));
    expect(read.response.status).toBe(200);
    const streamed = rpc('message/stream', message(part(), `${name}, streamed`));
    const stream = await watched(async () => {
      const answer = await agent().call(graph_id, streamed);
      for await (const _ of answer.body ?? []);
      return answer;
    });
    for (const ms of [held_ms, read.held_ms, stream.held_ms]) expect(ms).toBeLessThan(MOST_MS);
  },
);

async function watched(
  call: () => Promise<Response>,
): Promise<{ readonly response: Response; readonly held_ms: number }> {
  const called = Promise.withResolvers<Response>();
  const held_ms = await longestHold(async () => {
    called.resolve(await call());
  });
  return { response: await called.promise, held_ms };
}
