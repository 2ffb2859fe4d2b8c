import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Problem } from '@roadstead/kit';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { toResponse } from '../answers/dialects.ts';
import { listen } from '../connections/http-server.ts';
import { refuseUpgrade } from '../connections/upgraded-sockets.ts';
import { createRoutedProxy, type TargetFinder } from './routed-proxy.ts';

const elsewhere: RequestListener = (_asked, answer) =>
  void answer.writeHead(404, { 'x-roadstead-elsewhere': '1' }).end('not here');
const here: RequestListener = (asked, answer) =>
  void text(asked).then((body) =>
    answer.end(`here ${body.length} ${String(asked.headers['x-roadstead-assertion'])}`),
  );

async function target(handle: RequestListener): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A proxy that finds these targets, one after the other, and the last from then on; undefined, nobody has it. */
async function routed(...targets: readonly (string | undefined)[]): Promise<string> {
  let at = 0;
  const found = () => {
    const url = targets[Math.min(at, targets.length - 1)];
    return url === undefined
      ? undefined
      : { at: { url }, inward: { 'x-roadstead-assertion': `signed ${at}` } };
  };
  const finder: TargetFinder = {
    find: async () => found(),
    findAgain: async () => {
      at += 1;
      return found();
    },
  };
  const proxy = createRoutedProxy({ name: 'data plane', finder });
  onTestFinished(() => proxy[Symbol.dispose]());
  const server = await listen(
    (incoming: IncomingMessage, outgoing) => proxy.pass(incoming, { outgoing }),
    { host: '127.0.0.1', port: 0 },
    { drain_ms: 0, onUpgrade: (request, socket, head) => proxy.upgrade(request, { socket, head }) },
  );
  onTestFinished(() => server[Symbol.asyncDispose]());
  return `http://127.0.0.1:${server.port}`;
}

const post = (url: string, size: number) => fetch(url, { method: 'POST', body: 'x'.repeat(size) });

test.each([0, 10, 100_000])(
  'when a target has it no more, then %d bytes are sent on to where it is',
  async (size) => {
    const [first, second] = [await target(elsewhere), await target(here)];
    const url = await routed(first, first, second);
    const answer = await post(url, size);
    expect([answer.status, await answer.text()]).toEqual([200, `here ${size} signed 2`]);
    expect(answer.headers.get('x-roadstead-elsewhere')).toBeNull();
  },
);

test('when more of a body was sent than is kept, then the caller is told to try again', async () => {
  const taken: RequestListener = (asked, answer) => void text(asked).then(() => elsewhere(asked, answer));
  const answer = await post(await routed(await target(taken), await target(here)), 500_000);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
});

test('when nobody has it any more, then no caller is told what the target said to the proxy', async () => {
  const answer = await post(await routed(await target(elsewhere), undefined), 1);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
});

test('when a client of a WebSocket resets its connection while its target is looked for, then nothing else ends', async () => {
  const asked = Promise.withResolvers<void>();
  const found = Promise.withResolvers<undefined>();
  const finder: TargetFinder = {
    find: () => {
      asked.resolve();
      return found.promise;
    },
    findAgain: async () => undefined,
  };
  const proxy = createRoutedProxy({ name: 'data plane', finder });
  onTestFinished(() => proxy[Symbol.dispose]());
  const closed = Promise.withResolvers<void>();
  const server = await listen(
    (_incoming, outgoing) => outgoing.end('here'),
    { host: '127.0.0.1', port: 0 },
    {
      drain_ms: 0,
      onUpgrade: (request, socket, head) => {
        socket.once('close', () => closed.resolve());
        proxy.upgrade(request, { socket, head });
      },
    },
  );
  onTestFinished(() => server[Symbol.asyncDispose]());
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET /agents/a HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
  await asked.promise;
  socket.resetAndDestroy();
  await closed.promise;
  found.resolve(undefined);
  expect(await (await fetch(`http://127.0.0.1:${server.port}`)).text()).toBe('here');
});

test('when a target is gone, then it is looked for again', async () => {
  const answer = await post(await routed('http://127.0.0.1:9', await target(here)), 3);
  expect([answer.status, await answer.text()]).toEqual([200, 'here 3 signed 1']);
});

test('when there is nowhere to go, then the caller is told to try again', async () => {
  const answer = await post(await routed(undefined), 3);
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('try again')]);
});

test('when it stays elsewhere, then the caller is told so before long', async () => {
  const first = await target(elsewhere);
  const answer = await post(await routed(first), 3);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
});

test('when a WebSocket is elsewhere, then it is opened there', async () => {
  const speaker = new WebSocketServer({ noServer: true });
  const at = async (isHere: boolean) => {
    const server = await listen(
      elsewhere,
      { host: '127.0.0.1', port: 0 },
      {
        drain_ms: 0,
        onUpgrade: (request, socket, head) => {
          if (isHere)
            return speaker.handleUpgrade(request, socket, head, (spoken) =>
              spoken.on('message', (said: Buffer) => spoken.send(`here ${said.toString()}`)),
            );
          const refusal = toResponse(new Problem('not_found', 'not here'), 'detail');
          refusal.headers.set('x-roadstead-elsewhere', '1');
          void refuseUpgrade(socket, refusal);
        },
      },
    );
    onTestFinished(() => server[Symbol.asyncDispose]());
    return `http://127.0.0.1:${server.port}`;
  };
  const client = new WebSocket((await routed(await at(false), await at(true))).replace('http', 'ws'));
  await once(client, 'open');
  client.send('hello');
  const [said] = (await once(client, 'message')) as [Buffer];
  expect(said.toString()).toBe('here hello');
  client.terminate();
  const lost = new WebSocket((await routed(await at(false), undefined)).replace('http', 'ws'));
  lost.on('error', () => undefined);
  const [, answer] = (await once(lost, 'unexpected-response')) as [unknown, IncomingMessage];
  expect([answer.statusCode, await text(answer)]).toEqual([503, expect.stringContaining('try again')]);
});
