import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { TextResponse } from '../answers/text-response.ts';
import { type EventFrame, eventFrame, eventStream } from '../answers/event-stream.ts';
import { listen } from './http-server.ts';
import { createLog, Problem } from '@roadstead/kit';
import { toNodeListener } from './node-listener.ts';

/** A server that answers everything with this stream, and what it logs. */
async function serving(answer: () => Response) {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', write: (line) => lines.push(line) });
  const server = await listen(
    toNodeListener(async () => answer(), { log }),
    { host: '127.0.0.1', port: 0 },
  );
  return { lines, server, url: `http://127.0.0.1:${server.port}/stream?of=one` };
}

/** A connection that has sent a request and reads nothing. */
function stalled(port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET /stream HTTP/1.1\r\nHost: a\r\n\r\n');
  return socket;
}

const printed = () => ['error', 'info', 'warn', 'log'].map((name) => vi.spyOn(console, name as 'error'));

test('when an answer breaks off, then a comment says why and its connection ends', async () => {
  const prints = printed();
  async function* frames(): AsyncGenerator<EventFrame> {
    yield eventFrame('one');
    await new Promise((resolve) => setImmediate(resolve));
    throw new Problem('unavailable', 'The stream ended\nbefore its run.');
  }
  const { lines, server, url } = await serving(() =>
    eventStream(frames(), { heartbeat_ms: 60_000, onCancel: () => undefined }),
  );
  await using _ = server;
  const response = await fetch(url);
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
  })();
  await expect(reading).rejects.toThrow();
  expect(text).toBe('data: one\n\n: The stream ended before its run.\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({
      level: 'debug',
      url: '/stream?of=one',
      error: expect.stringContaining('ended'),
    }),
  ]);
  for (const print of prints) expect(print).not.toHaveBeenCalled();
});

test('when an answer breaks off before its first byte, then its connection ends, too', async () => {
  const prints = printed();
  const { lines, server, url } = await serving(
    () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('secret')) })),
  );
  await using _ = server;
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  expect(lines).toHaveLength(1);
  for (const print of prints) expect(print).not.toHaveBeenCalled();
});

test('when a reader is too far behind, then it is cut off, unless it still reads', async () => {
  const behind = new AbortController();
  const told: string[] = [];
  const frame = eventFrame('x'.repeat(65_536));
  async function* frames(): AsyncGenerator<EventFrame> {
    try {
      while (!behind.signal.aborted) yield frame;
      yield eventFrame('the end');
    } finally {
      told.push('freed');
    }
  }
  const produced = { frames: 0 };
  const { server, url } = await serving(() => {
    async function* counted() {
      for await (const one of frames()) {
        produced.frames += 1;
        yield one;
      }
    }
    return eventStream(counted(), {
      heartbeat_ms: 60_000,
      last_words_ms: 200,
      behind: behind.signal,
      onCancel: () => told.push('left'),
    });
  });
  await using _ = server;
  const socket = stalled(server.port);
  const closed = once(socket, 'close');
  // Until its buffers, and those of the system, are full.
  for (let before = 0; before === 0 || before < produced.frames;) {
    before = produced.frames;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  behind.abort();
  await expect.poll(() => told).toEqual(['left', 'freed']);
  socket.resume();
  await closed;

  // The next stream ends as soon as its reader makes room.
  const text = await (await fetch(url)).text();
  expect(text).toBe('data: the end\n\n');
});

test.each<[string, (init: ResponseInit) => Response]>([
  ['a stream', (init) => new Response('one', init)],
  ['a text', (init) => new TextResponse('one', init)],
  ['nothing', (init) => new Response(null, init)],
])(
  'when a handler answers %s and keeps its connection, then a server that leaves ends it',
  async (_, make) => {
    const listener = toNodeListener(async () =>
      make({ headers: { connection: 'keep-alive', 'x-own': '1' } }),
    );
    const leaving: typeof listener = (request, response) => {
      response.setHeader('connection', 'close');
      listener(request, response);
    };
    await using server = await listen(leaving, { host: '127.0.0.1', port: 0 });
    using agent = disposable(new Agent({ keepAlive: true }));
    const asked = get({ host: '127.0.0.1', port: server.port, agent: agent.value });
    const [{ headers }] = (await once(asked, 'response')) as [IncomingMessage];
    expect(headers).toMatchObject({ connection: 'close', 'x-own': '1' });
  },
);

const disposable = (value: Agent) => ({ value, [Symbol.dispose]: () => value.destroy() });
