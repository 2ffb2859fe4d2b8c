import { once } from 'node:events';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { listeningAgent } from './testing/listening-agent.ts';

/** Text that readers of lines would cut, over every face, from a real agent server. */

const SAID = 'one\u2028two\u2029three\u0085four';
const ESCAPED = String.raw`one\u2028two\u2029three\u0085four`;
/** So much is written and sent in pieces. */
const LARGE = `${'x'.repeat(300_000)}${SAID}`;

const listening = useFixture(listeningAgent);
const client = useFixture(() => listening().client());
const thread_id = useFixture(
  async () => (await client().threads.create({ metadata: { said: SAID } })).thread_id,
);
beforeAll(async () => {
  await client().runs.wait(thread_id(), 'agent', { input: says(SAID) });
  await client().store.putItem(['words'], 'one', { said: SAID });
});

const says = (content: string) => ({ messages: [{ role: 'user', content }] });

async function ask(method: string, path: string, body?: object): Promise<string> {
  const answer = await fetch(listening().url + path, {
    method,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect([answer.status, text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  return text;
}

const run = (content: string) => ({ assistant_id: 'agent', input: says(content) });
const old = (method: string) => async (text: string) =>
  ask('POST', '/a2a/agent', {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      message: { role: 'user', messageId: crypto.randomUUID(), parts: [{ kind: 'text', text }] },
    },
  });
const modern = (method: string) => async (text: string) => {
  const answer = await fetch(`${listening().url}/a2a/agent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { message: { role: 'ROLE_USER', messageId: crypto.randomUUID(), parts: [{ text }] } },
    }),
  });
  return answer.text();
};

const writers: Readonly<Record<string, (text: string) => Promise<string>>> = {
  'the state that a run ends with': async (text) => ask('POST', '/runs/wait', run(text)),
  'the stream of a run': async (text) =>
    ask('POST', '/runs/stream', { ...run(text), stream_mode: ['values', 'updates', 'messages', 'debug'] }),
  'a run': async (text) => ask('POST', `/threads/${thread_id()}/runs`, { ...run('a'), metadata: { text } }),
  'message/send of A2A 0.3': old('message/send'),
  'message/stream of A2A 0.3': old('message/stream'),
  'SendMessage of A2A 1.0': modern('SendMessage'),
  'SendStreamingMessage of A2A 1.0': modern('SendStreamingMessage'),
  'a tool of MCP': async (text) =>
    ask('POST', '/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'agent', arguments: says(text) },
    }),
};

const readers: Readonly<Record<string, () => Promise<string>>> = {
  'a thread': async () => ask('GET', `/threads/${thread_id()}`),
  'threads that are searched': async () => ask('POST', '/threads/search', { metadata: { said: SAID } }),
  'the state of a thread': async () => ask('GET', `/threads/${thread_id()}/state`),
  'the history of a thread': async () => ask('POST', `/threads/${thread_id()}/history`, {}),
  'an item': async () => ask('GET', '/store/items?namespace=words&key=one'),
  'items that are searched': async () => ask('POST', '/store/items/search', { namespace_prefix: ['words'] }),
};

/** Whether the text is there, and no break of a line in it. Texts are too long to be shown. */
const isWhole = (text: string) => text.includes(ESCAPED) && !/[\u2028\u2029\u0085]/.test(text);

test.each(Object.entries(writers))(
  'when %s holds breaks of lines, then they are escaped',
  async (_, write) => {
    expect(isWhole(await write(SAID))).toBe(true);
    expect(isWhole(await write(LARGE))).toBe(true);
  },
);

test.each(Object.entries(readers))(
  'when %s holds breaks of lines, then they are escaped',
  async (_, read) => {
    expect(isWhole(await read())).toBe(true);
  },
);

test('when a thread is followed, then breaks of lines in its events are escaped', async () => {
  const followed = async () => {
    const gone = new AbortController();
    const answer = await fetch(`${listening().url}/threads/${thread_id()}/stream/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ channels: ['values', 'messages', 'lifecycle'] }),
      signal: gone.signal,
    });
    let text = '';
    for await (const piece of answer.body ?? []) {
      text += Buffer.from(piece as Uint8Array).toString();
      if (text.includes('"completed"')) break;
    }
    gone.abort();
    return text;
  };
  await ask('POST', `/threads/${thread_id()}/commands`, { id: 1, method: 'run.start', params: run(SAID) });
  expect(isWhole(await followed())).toBe(true);

  const socket = new WebSocket(
    `${listening().url.replace('http', 'ws')}/threads/${thread_id()}/stream/events`,
  );
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  let heard = '';
  socket.on('message', (data: Buffer) => (heard += data.toString()));
  socket.send(
    JSON.stringify({
      id: 1,
      method: 'subscription.subscribe',
      params: { channels: ['values', 'lifecycle'] },
    }),
  );
  await expect.poll(() => heard).toContain('"completed"');
  expect(isWhole(heard)).toBe(true);
});
