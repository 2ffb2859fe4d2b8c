import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { listeningAgent } from '../../testing/listening-agent.ts';

/** Several voices of one graph at once, as clients hear them. */

const listening = useFixture(listeningAgent);
const client = useFixture(() => listening().client());

interface MessageEventData {
  readonly event: string;
  readonly id?: string;
  readonly run_id?: string;
  readonly delta?: { readonly text: string };
}

/** What the channel `messages` told of the newest run of a thread, up to the run's end. */
async function told(thread_id: string): Promise<MessageEventData[]> {
  const gone = new AbortController();
  const answer = await fetch(`${listening().url}/threads/${thread_id}/stream/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ channels: ['messages', 'lifecycle'] }),
    signal: gone.signal,
  });
  let text = '';
  for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (/"namespace":\[\],"data":\{"event":"completed"/.test(text)) break;
  }
  gone.abort();
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as { method: string; params: { data: MessageEventData } })
    .flatMap(({ method, params }) => (method === 'messages' ? [params.data] : []));
}

/** The text of each message, put together by the run that speaks. */
function bySpeaker(said: readonly MessageEventData[]): string[] {
  const texts = new Map<string, string>();
  let last = '';
  for (const { event, id = '', run_id, delta } of said) {
    if (event === 'message-start') last = run_id ?? id;
    const key = run_id ?? last;
    texts.set(key, `${texts.get(key) ?? ''}${delta?.text ?? ''}`);
  }
  return [...texts.values()].toSorted();
}

const says = (content: string) => ({ messages: [{ role: 'user', content }] });

test.each([
  ['duet', 'together', ['first voice', 'second one']],
  ['duet', 'batch', ['first voice', 'second one']],
  ['duet', 'tools', ['Asked.', 'first voice', 'second one']],
  ['duet', 'push', ['first voice', 'second one']],
  ['duet', 'one by one', ['first voice', 'second one']],
  ['voices', 'all', ['a much longer second one', 'first voice']],
])('when models of %s speak %s, then the official client hears each whole', async (graph, way, expected) => {
  const { thread_id } = await client().threads.create();
  const stream = client().threads.stream(thread_id, { assistantId: graph });
  // Listening begins first: this client pauses what is opened just as a run ends.
  const { messages } = stream;
  await stream.run.start({ input: says(way) });
  const heard: Promise<string>[] = [];
  for await (const message of messages) heard.push(Promise.resolve(message.text));
  expect((await Promise.all(heard)).toSorted()).toEqual(expected);
  await stream.close();
});

const startsAndEnds = (said: readonly MessageEventData[]) =>
  said.flatMap(({ event }) => (event.startsWith('message-') ? [event.slice('message-'.length)] : []));

test('when two models speak at once, then each event says which of them', async () => {
  const { thread_id } = await client().threads.create();
  const stream = client().threads.stream(thread_id, { assistantId: 'duet' });
  await stream.run.start({ input: says('together') });
  await stream.output;
  await stream.close();
  const said = await told(thread_id);
  expect(bySpeaker(said)).toEqual(['first voice', 'second one']);
  expect(new Set(said.map(({ run_id }) => run_id)).size).toBe(2);
  const ends = startsAndEnds(said);
  expect(ends.slice(0, 2)).toEqual(['start', 'start']);
  expect(ends.slice(2)).toEqual(['finish', 'finish']);
});

test('when models speak one after the other, then each message ends before the next begins', async () => {
  const { thread_id } = await client().threads.create();
  const stream = client().threads.stream(thread_id, { assistantId: 'duet' });
  await stream.run.start({ input: says('one by one') });
  await stream.output;
  await stream.close();
  expect(startsAndEnds(await told(thread_id))).toEqual(['start', 'finish', 'start', 'finish']);
});

test.each([
  ['duet', 'together', ['first voice', 'second one']],
  ['duet', 'push', ['first voice', 'second one']],
  ['voices', 'all', ['a much longer second one', 'first voice']],
])(
  'when a run of %s that A2A began speaks %s, then a thread’s stream has each whole',
  async (graph, way, expected) => {
    const thread_id = crypto.randomUUID();
    const parts = [{ kind: 'text', text: way }];
    const message = { role: 'user', messageId: crypto.randomUUID(), contextId: thread_id, parts };
    const answer = await fetch(`${listening().url}/a2a/${graph}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/stream', params: { message } }),
    });
    expect(await answer.text()).toContain('completed');
    expect(bySpeaker(await told(thread_id))).toEqual(expected);
  },
);

test('when a run is streamed as runs are, then its client hears nothing of who has said all', async () => {
  const { thread_id } = await client().threads.create();
  const names = new Set<string>();
  const input = says('together');
  for await (const { event } of client().runs.stream(thread_id, 'duet', {
    input,
    streamMode: ['messages-tuple'],
  }))
    names.add(event);
  expect(names).toEqual(new Set(['metadata', 'messages']));
  expect(bySpeaker(await told(thread_id))).toEqual(['first voice', 'second one']);
});
