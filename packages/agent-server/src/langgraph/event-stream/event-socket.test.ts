import { once } from 'node:events';
import { type CallerContext, listen, refuseUpgrade, toResponse, type UpgradeListener } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { listeningAgent } from '../../testing/listening-agent.ts';

/** The event-streaming protocol on WebSockets, by the official client and by hand, against a real agent server. */

const listening = useFixture(listeningAgent);
const client = useFixture(() => listening().client());

const says = (content: string) => ({ messages: [{ role: 'user', content }] });
const newThread = async () => (await client().threads.create()).thread_id;

interface SocketMessage {
  readonly type: string;
  readonly id?: number | null;
  readonly error?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly method?: string;
  readonly seq?: number;
  readonly message?: string;
  readonly params?: {
    readonly namespace: readonly string[];
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** A socket by hand: what it has heard, and how it commands. */
async function connect(thread_id: string, base = listening().url) {
  const url = `${base.replace('http', 'ws')}/threads/${thread_id}/stream/events`;
  const socket = new WebSocket(url);
  onTestFinished(() => socket.terminate());
  const heard: SocketMessage[] = [];
  socket.on('message', (text: Buffer) => heard.push(JSON.parse(text.toString()) as SocketMessage));
  const refused = new Promise<number>((resolve) => {
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
  });
  socket.on('error', () => undefined);
  const status = await Promise.race([once(socket, 'open').then(() => 101), refused]);
  let ids = 0;
  const command = async (method: string, params: object = {}): Promise<SocketMessage> => {
    const id = ++ids;
    socket.send(JSON.stringify({ id, method, params }));
    return await expect
      .poll(() => heard.find((one) => one.id === id))
      .toBeDefined()
      .then(() => {
        const answer = heard.find((one) => one.id === id);
        if (answer === undefined) throw new Error('There is no answer.');
        return answer;
      });
  };
  const events = () => heard.filter(({ type }) => type === 'event');
  return { socket, status, heard, command, events };
}

const isEnd = ({ method, params }: SocketMessage) =>
  method === 'lifecycle' &&
  params?.namespace.length === 0 &&
  ['completed', 'failed', 'interrupted'].includes(String(params.data['event']));

test('when the official client follows a run, then it can answer what the run asks', async () => {
  const thread = client().threads.stream(crypto.randomUUID(), {
    assistantId: 'gate',
    transport: 'websocket',
    webSocketFactory: (url: string) => new WebSocket(url) as never,
  } as never);
  onTestFinished(() => thread.close());
  await thread.run.start({ input: says('ask') });
  await expect.poll(() => thread.interrupts.length).toBe(1);
  expect(thread.interrupts[0]?.payload).toEqual({ question: 'Who is there?' });
  // What is subscribed to before the run has ended, the client pauses with its end.
  await expect.poll(() => thread.interrupted).toBe(true);
  const told: string[] = [];
  const values = await thread.subscribe(['values']);
  const reading = (async () => {
    for await (const state of values as AsyncIterable<unknown>) told.push(JSON.stringify(state));
  })();
  const interrupt_id = thread.interrupts[0]?.interruptId ?? '';
  await thread.input.respond({ interrupt_id, namespace: [], response: 'Ann' });
  await expect.poll(() => told.at(-1)).toContain('Hello, Ann!');
  await thread.close();
  await reading;
});

test('when a thread is not there yet, then it is followed from its first run on, in order', async () => {
  const thread_id = crypto.randomUUID();
  const { command, events } = await connect(thread_id);
  expect(await command('subscription.subscribe', { channels: ['lifecycle', 'messages'] })).toMatchObject({
    type: 'success',
    result: { subscription_id: expect.any(String) as string },
  });
  await command('subscription.subscribe', { channels: ['lifecycle', 'values'] });
  expect(await command('run.start', { assistant_id: 'stream', input: says('Hi') })).toMatchObject({
    type: 'success',
    result: { run_id: expect.any(String) as string },
  });
  await expect.poll(() => events().some(isEnd)).toBe(true);
  const seqs = events().map(({ seq }) => seq ?? 0);
  expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
  expect(new Set(events().map(({ method }) => method))).toEqual(new Set(['lifecycle', 'messages', 'values']));
});

test('when a later subscription comes, then it gets the newest run, or what follows `since`', async () => {
  const thread_id = await newThread();
  const { command, events, heard } = await connect(thread_id);
  await command('subscription.subscribe', { channels: ['lifecycle'] });
  await command('run.start', { assistant_id: 'stream', input: says('Hi') });
  await expect.poll(() => events().some(isEnd)).toBe(true);
  const before = events().length;
  const last = events().at(-1)?.seq ?? 0;
  await command('subscription.subscribe', { channels: ['values'] });
  await expect
    .poll(() =>
      events()
        .slice(before)
        .map(({ method }) => method),
    )
    .toContain('values');
  expect(
    events()
      .slice(before)
      .every(({ method }) => method === 'values'),
  ).toBe(true);
  const again = await connect(thread_id);
  await again.command('subscription.subscribe', { channels: ['lifecycle'], since: last });
  await again.command('run.start', { assistant_id: 'stream', input: says('Once more') });
  await expect.poll(() => again.events().some(isEnd)).toBe(true);
  expect(again.events().every(({ seq = 0 }) => seq > last)).toBe(true);
  await expect.poll(() => heard.filter(isEnd).length).toBe(2);
});

test('when a subscription ends, then its events are told no more', async () => {
  const { command, events } = await connect(await newThread());
  const { result } = await command('subscription.subscribe', { channels: ['values'] });
  await command('subscription.subscribe', { channels: ['lifecycle'] });
  expect(await command('subscription.unsubscribe', { ...result })).toMatchObject({ type: 'success' });
  expect(await command('subscription.unsubscribe', { ...result })).toMatchObject({
    type: 'error',
    error: 'no_such_subscription',
  });
  await command('run.start', { assistant_id: 'stream', input: says('Hi') });
  await expect.poll(() => events().some(isEnd)).toBe(true);
  expect(events().map(({ method }) => method)).not.toContain('values');
});

test('when a thread’s id is written in other letters, then it is the same thread', async () => {
  const thread_id = await newThread();
  const { command, events } = await connect(thread_id.toUpperCase());
  await command('subscription.subscribe', { channels: ['lifecycle'] });
  for (const runs of [1, 2]) {
    await client().runs.wait(thread_id, 'stream', { input: says('Hi') });
    await expect.poll(() => events().filter(isEnd)).toHaveLength(runs);
  }
});

test.each([
  ['{', null, 'invalid_argument'],
  ['[]', null, 'invalid_argument'],
  ['{"id":"a","method":"state.get"}', null, 'invalid_argument'],
  ['{"id":7,"method":"nothing"}', 7, 'unknown_command'],
  ['{"id":7,"method":"subscription.subscribe","params":{"channels":[]}}', 7, 'invalid_argument'],
  ['{"id":7,"method":"subscription.reconnect","params":{}}', 7, 'not_supported'],
  ['{"id":7,"method":"state.get"}', 7, 'invalid_argument'],
])('when %s comes, then it is refused, and the connection goes on', async (text, id, error) => {
  const { socket, heard, command } = await connect(crypto.randomUUID());
  socket.send(text);
  await expect.poll(() => heard).toMatchObject([{ type: 'error', id, error }]);
  expect(await command('nothing')).toMatchObject({ error: 'unknown_command' });
});

test.each([
  ['/threads/x/stream/events', 404],
  ['/threads/x/state', 404],
  ['//', 404],
  ['/', 404],
])('when a WebSocket is opened at %s, then it is refused with %i', async (path, status) => {
  const socket = new WebSocket(`${listening().url.replace('http', 'ws')}${path}`);
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  expect(response.statusCode).toBe(status);
});

/** An address at which it can be said who calls, by now. */
async function asking(inward: () => Promise<CallerContext>): Promise<string> {
  const onUpgrade: UpgradeListener = (request, socket, head) => {
    listening()
      .agent.server.upgrade(request, { socket, head, inward })
      .catch((problem: Problem) => refuseUpgrade(socket, toResponse(problem, 'detail')));
  };
  const server = await listen(() => undefined, { host: '127.0.0.1', port: 0 }, { drain_ms: 0, onUpgrade });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return `http://127.0.0.1:${server.port}`;
}

test('when a caller is nobody, or becomes so, then it is refused or can command nothing more', async () => {
  const refused = new Problem('unauthenticated', 'This key was revoked.');
  let inward: CallerContext = { refused };
  const url = await asking(async () => inward);
  expect((await connect(crypto.randomUUID(), url)).status).toBe(401);
  inward = { assertion: listening().agent.assertion() };
  const { socket, command } = await connect(crypto.randomUUID(), url);
  expect(await command('agent.getTree')).toMatchObject({ error: 'invalid_argument' });
  inward = { refused };
  const closed = once(socket, 'close');
  expect(await command('run.start', { assistant_id: 'stream', input: says('Hi') })).toMatchObject({
    error: 'permission_denied',
    message: 'This key was revoked.',
  });
  expect((await closed)[0]).toBe(1008);
});

test('when a thread is somebody else’s, then it is as quiet as one that is not there', async () => {
  const callerOf = (subject: string): CallerContext => ({
    identify: async () => ({ workspace_id: 'w', actor: 'key:test', scopes: ['agents:invoke'], subject }),
  });
  const [ann, bob] = [await asking(async () => callerOf('ann')), await asking(async () => callerOf('bob'))];
  const thread_id = crypto.randomUUID();
  const [hers, his] = [await connect(thread_id, ann), await connect(thread_id, bob)];
  for (const { command } of [his, hers]) await command('subscription.subscribe', { channels: ['lifecycle'] });
  await hers.command('run.start', { assistant_id: 'stream', input: says('Hi') });
  await expect.poll(() => hers.events().some(isEnd)).toBe(true);
  expect(await his.command('run.start', { assistant_id: 'stream', input: says('Hi') })).toMatchObject({
    error: 'invalid_argument',
    message: 'There is no such thread here.',
  });
  expect(await his.command('nothing')).toHaveProperty('meta', { thread_id });
  expect(his.events()).toEqual([]);
});

test('when a call comes without a WebSocket, then the address says what it is for', async () => {
  const answered = await fetch(`${listening().url}/threads/${crypto.randomUUID()}/stream/events`);
  expect([answered.status, answered.headers.get('upgrade')]).toEqual([426, 'websocket']);
});
