import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useFolder } from '@roadstead/testing';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { HandOff } from './hand-off.ts';
import { type HttpServer, listen, type ListenOptions } from './http-server.ts';

/** Connections of a real server, handed to a real process. */

const folder = useFolder('hand-off-');

const program = fileURLToPath(new URL('../testing/handed-server.ts', import.meta.url));
let sockets = 0;

interface ChildOptions {
  readonly request_ms?: number;
  /** The number of files that it may have open. */
  readonly max_files?: number;
}

async function startChild(
  handOff: HandOff,
  { request_ms = 600_000, max_files }: ChildOptions = {},
): Promise<ChildProcess> {
  const limit = max_files === undefined ? '' : `ulimit -n ${max_files}; `;
  const command = [process.execPath, program, join(folder(), String(++sockets)), String(request_ms)];
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', ...command], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  handOff.to(child);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended(child);
  });
  await expect.poll(() => handOff.wants(Buffer.from('GET /theirs/one HTTP/1.1'))).toBe(true);
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** A server whose connections are handed on once a child takes them. */
async function startServer(options: Omit<ListenOptions, 'handOff'> = {}) {
  const handOff = new HandOff('/theirs/');
  const server = await listen(
    (request, response) => response.end(`ours: ${request.url}`),
    { host: '127.0.0.1', port: 0 },
    { ...options, handOff },
  );
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { handOff, server };
}

interface Client {
  readonly socket: Socket;
  readonly came: () => string;
  readonly closed: Promise<unknown>;
}

/** A connection that sends given text, byte by byte. */
async function open({ port }: HttpServer): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let came = '';
  socket.on('data', (bytes: Buffer) => (came += bytes.toString('latin1')));
  const closed = new Promise((resolve) => socket.once('error', resolve).once('end', resolve));
  await once(socket, 'connect');
  return { socket, came: () => came, closed };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** The part of the child's answers that describes each request. */
const answersIn = (came: string) =>
  [...came.matchAll(/\{"url".*?\}/g)].map(([text]) => JSON.parse(text) as { url: string; size: number });

test('when a connection begins with a path of theirs, then it is theirs; any other stays', async () => {
  const { handOff, server } = await startServer();
  await startChild(handOff);
  const theirs = await open(server);
  theirs.socket.write(get('/theirs/one'));
  await expect.poll(theirs.came).toContain('"url":"/theirs/one","address":"127.0.0.1"');
  theirs.socket.write(get('/other'));
  await expect.poll(theirs.came).toContain('"url":"/other"');
  for (const beginning of [
    get('/other'),
    get('/theirs'),
    get('http://here/theirs/one'),
    get('/theirs/one').replace('GET', 'PROPFIND'),
  ]) {
    const ours = await open(server);
    ours.socket.write(beginning);
    await expect.poll(ours.came).toContain('ours: ');
    ours.socket.write(get('/theirs/later'));
    await expect.poll(ours.came).toContain('ours: /theirs/later');
  }
});

test('when a connection begins and goes on in any way, then no byte is lost or doubled', async () => {
  const { handOff, server } = await startServer();
  await startChild(handOff);
  const body = randomBytes(100_000);
  const post = Buffer.concat([
    Buffer.from(`POST /theirs/body HTTP/1.1\r\nhost: here\r\ncontent-length: ${body.length}\r\n\r\n`),
    body,
  ]);
  const sent = Buffer.concat([post, Buffer.from(get('/theirs/next')), post]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 70_000 })), {
        maxLength: 40,
      }),
      fc.boolean(),
      async (sizes, apart) => {
        const { socket, came } = await open(server);
        let at = 0;
        for (const size of sizes) {
          socket.write(sent.subarray(at, (at += size)));
          if (apart) await new Promise((resolve) => setImmediate(resolve));
        }
        socket.write(sent.subarray(at));
        await expect
          .poll(() => answersIn(came()))
          .toMatchObject([
            { url: '/theirs/body', size: body.length, sha256: sha256(body) },
            { url: '/theirs/next', size: 0 },
            { url: '/theirs/body', size: body.length, sha256: sha256(body) },
          ]);
        socket.destroy();
      },
    ),
    { numRuns: 30 },
  );
});

test('when a client ends its side early, then it is answered, and what it cut off is refused', async () => {
  const { handOff, server } = await startServer();
  await startChild(handOff);
  const whole = await open(server);
  whole.socket.end(get('/theirs/one'));
  await whole.closed;
  expect(whole.came()).toContain('"url":"/theirs/one"');
  const cut = await open(server);
  cut.socket.end('GET /th');
  await cut.closed;
  expect(cut.came()).toContain('400 Bad Request');
  const silent = await open(server);
  silent.socket.end();
  await silent.closed;
  expect(silent.came()).toBe('');
});

test('when a request does not come in time, then both sides answer so', async () => {
  const { handOff, server } = await startServer({ request_ms: 200 });
  await startChild(handOff, { request_ms: 200 });
  const half = (path: string) => `POST ${path} HTTP/1.1\r\nhost: here\r\ncontent-length: 10\r\n\r\nhalf`;
  for (const said of ['', 'GET', 'GET /theirs/one HTTP/1.1\r\nho', half('/theirs/one'), half('/other')]) {
    const slow = await open(server);
    slow.socket.write(said);
    await slow.closed;
    expect(slow.came()).toContain('408 Request Timeout');
  }
});

test('when no child takes connections, then they are served here, and handed on again later', async () => {
  const { handOff, server } = await startServer();
  const ask = async () => {
    const { socket, came } = await open(server);
    socket.write(get('/theirs/one'));
    await expect.poll(came).toContain('/theirs/one');
    return came().includes('ours: ') ? 'ours' : 'theirs';
  };
  expect(await ask()).toBe('ours');
  const first = await startChild(handOff);
  expect(await ask()).toBe('theirs');
  first.kill('SIGKILL');
  await ended(first);
  expect(await ask()).toBe('ours');
  const second = await startChild(handOff);
  expect(await ask()).toBe('theirs');
  second.kill('SIGTERM');
  await expect.poll(ask).toBe('ours');
});

test('when a child ends before it took a connection, then the connection is served here', async () => {
  const { handOff, server } = await startServer();
  const child = await startChild(handOff);
  child.kill('SIGSTOP');
  const clients = await Promise.all(Array.from({ length: 5 }, () => open(server)));
  for (const { socket } of clients) socket.write('GET /theirs/one HTTP/1.1\r\nho');
  const last = await open(server);
  last.socket.write(get('/other'));
  await expect.poll(last.came).toContain('ours: /other');
  for (const { socket } of clients) socket.write('st: here\r\n\r\n');
  expect(clients.map(({ came }) => came())).toEqual(['', '', '', '', '']);
  child.kill('SIGKILL');
  for (const { came } of clients) await expect.poll(came).toContain('ours: /theirs/one');
});

test('when connections are handed on, then they count until they close or the child ends', async () => {
  let dropped = 0;
  const { handOff, server } = await startServer({ max_connections: 2, onTooMany: () => (dropped += 1) });
  const child = await startChild(handOff);
  const answered = async () => {
    const client = await open(server);
    client.socket.write(get('/theirs/one'));
    await Promise.race([client.closed, once(client.socket, 'data')]);
    return client.came() === '' ? undefined : client;
  };
  const [one, two] = [await answered(), await answered()];
  expect(await answered()).toBeUndefined();
  expect(dropped).toBe(1);
  one?.socket.destroy();
  await expect.poll(answered).toBeDefined();
  expect(await answered()).toBeUndefined();
  expect(two?.socket.destroyed).toBe(false);
  child.kill('SIGKILL');
  await ended(child);
  expect(await answered()).toBeDefined();
});

test('when the child is told to stop, then it closes what is idle and lets answers end', async () => {
  const { handOff, server } = await startServer();
  const child = await startChild(handOff);
  const [idle, waiting] = [await open(server), await open(server)];
  idle.socket.write(get('/theirs/one'));
  waiting.socket.write(
    'POST /theirs/one HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\n',
  );
  await expect.poll(idle.came).toContain('"url"');
  await expect.poll(waiting.came).toContain('100 Continue');
  child.kill('SIGTERM');
  await idle.closed;
  waiting.socket.write('ab');
  await waiting.closed;
  expect(waiting.came()).toContain('"size":2');
  await ended(child);
  expect(child.exitCode).toBe(0);
});

test('when the server closes, then it waits neither for the silent nor for a child that has gone', async () => {
  const { handOff, server } = await startServer({ drain_ms: 600_000 });
  const child = await startChild(handOff);
  const theirs = await open(server);
  theirs.socket.write(get('/theirs/one'));
  await expect.poll(theirs.came).toContain('"url"');
  child.kill('SIGKILL');
  await theirs.closed;
  const silent = await open(server);
  await server[Symbol.asyncDispose]();
  await silent.closed;
});

test('when the child has no file left for a connection, then the connection is ours', async () => {
  const { handOff, server } = await startServer();
  await startChild(handOff, { max_files: 48 });
  const clients = await Promise.all(Array.from({ length: 60 }, () => open(server)));
  for (const [at, { socket }] of clients.entries()) socket.write(get(`/theirs/${at}`));
  for (const [at, { came }] of clients.entries()) await expect.poll(came).toContain(`/theirs/${at}`);
  const is_ours = clients.map(({ came }) => came().includes('ours: '));
  expect(new Set(is_ours)).toEqual(new Set([true, false]));
});

test('when many wait for a child that stands still, then further connections are ours', async () => {
  const { handOff, server } = await startServer();
  const child = await startChild(handOff);
  child.kill('SIGSTOP');
  const clients = await Promise.all(Array.from({ length: 70 }, () => open(server)));
  for (const { socket } of clients) socket.write(get('/theirs/one'));
  const answered = (word: string) => clients.filter(({ came }) => came().includes(word)).length;
  await expect.poll(() => answered('ours: ')).toBe(6);
  child.kill('SIGCONT');
  await expect.poll(() => answered('"url"')).toBe(64);
});

test('when a client resets its connection, then the child still ends undisturbed', async () => {
  const { handOff, server } = await startServer();
  const child = await startChild(handOff);
  let held = 0;
  const { onHeld } = handOff;
  handOff.onHeld = (now) => onHeld((held = now));
  const { socket } = await open(server);
  const { socket: other, came } = await open(server);
  for (const one of [socket, other])
    one.write('POST /theirs/one HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\n\r\n1');
  await expect.poll(() => held).toBe(2);
  child.kill('SIGTERM');
  await expect.poll(() => handOff.wants(Buffer.from(get('/theirs/two')))).toBe(false);
  socket.resetAndDestroy();
  await expect.poll(() => held).toBe(1);
  other.write('2');
  await expect.poll(came).toContain('"size":2');
  other.destroy();
  await ended(child);
  expect(child.exitCode).toBe(0);
});
