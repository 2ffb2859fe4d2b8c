import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HostEvent, HostTells, Manifest, RunResult } from '@roadstead/contracts/host';
import { listen, toNodeListener } from '@roadstead/http';
import { assistantIdOf } from '@roadstead/kit';
import { longestHold, MOST_HELD_MS, useFixture } from '@roadstead/testing';
import { streamThreadEvents } from './langgraph/event-stream/thread-events.ts';
import { seqIn } from './langgraph/event-stream/protocol-event.ts';
import type { EventStreamFace } from './langgraph/event-stream/event-stream-face.ts';
import { seqOf, streamRun } from './langgraph/runs/run-stream.ts';
import { streamThread } from './langgraph/runs/thread-stream.ts';
import type { NewRun, Run } from './runs/run.ts';
import { engineDatabase } from './testing/engine-database.ts';
import { openTestAgent } from './testing/test-agent.ts';
import { openTestEngine } from './testing/test-engine.ts';

/**
 * Readers that stop reading, on sockets whose buffers are small: they are cut, and when they come back with the last event
 * that they have they get exactly the rest.
 */

const PIECE = 'x'.repeat(262_144);
const PIECES = 48;
const pieceOf: Readonly<Record<'langgraph' | 'a2a', (n: number) => HostEvent>> = {
  langgraph: (n) => ({ kind: 'stream', event: 'custom', ns: [], data: { n, piece: PIECE } }),
  a2a: (n) => ({ kind: 'chunk', message_id: 'm', text: `<${n}>${PIECE}` }),
};
const manifest: Manifest = {
  graphs: [{ graph_id: 'agent', description: null, channels: ['messages'], has_messages: true }],
  langgraph_version: null,
};

/** Runs begin to speak when their reader is there. */
let speak = Promise.withResolvers<void>();

const database = useFixture(engineDatabase);
const engine = useFixture(() =>
  openTestEngine(database().db, async ({ run_id, attempt, chunks, input }) => {
    if (input === LONG) return sayMuch({ run_id, attempt });
    await speak.promise;
    for (let n = 1; n <= PIECES; n += 1) {
      await emit({ run_id, attempt, events: [pieceOf[chunks ? 'a2a' : 'langgraph'](n)] });
    }
    return { outcome: 'success', interrupts: [], output: null };
  }),
);
beforeAll(() => {
  engine().activate(crypto.randomUUID(), manifest);
});
useFixture(() => openTestAgent({ wrap: () => engine(), socket: agent_socket }));
afterAll(() => speak.resolve());

const socketPath = () => join(tmpdir(), `slow-${crypto.randomUUID()}.sock`);

const agent_socket = socketPath();

const LONG = 'long';
const TOKENS = 10_000;
const emit = (params: HostTells['emit']) => engine().sink.ask({ method: 'emit', params }, { blobs: [] });

async function sayMuch(ref: { readonly run_id: string; readonly attempt: number }): Promise<RunResult> {
  const message = { type: 'AIMessageChunk', id: 'm', content: 'word ' };
  const data = [message, { langgraph_node: 'say' }];
  const event: HostEvent = { kind: 'stream', event: 'messages', ns: [], data };
  for (let said = 0; said < TOKENS; said += 100)
    await emit({ ...ref, events: Array.from({ length: 100 }, () => event) });
  return { outcome: 'success', interrupts: [], output: null };
}

async function begunRun(input: unknown = {}): Promise<Run> {
  const thread_id = crypto.randomUUID();
  return engine().engine.create({
    thread: { thread_id, create: { metadata: {} } },
    assistant_id: assistantIdOf('agent'),
    graph_id: 'agent',
    principal: 'workspace:w',
    kwargs: { input, stream_mode: ['custom'] },
    metadata: {},
    multitask_strategy: 'enqueue',
    chunks: false,
    plain: false,
    values: false,
  } satisfies NewRun);
}

interface Frame {
  readonly id: string;
  readonly data: unknown;
}

interface RequestOptions {
  readonly socketPath: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function asked({ body, ...options }: RequestOptions): Promise<IncomingMessage> {
  const sent = request({ ...options, agent: false, ...(body === undefined ? {} : { method: 'POST' }) });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** What comes until the connection ends, or a frame is the last; a frame that is cut is none. */
async function read(response: IncomingMessage, isLast: (frame: Frame) => boolean = () => false) {
  let text = '';
  const frames: Frame[] = [];
  try {
    for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
      const parts = `${text}${chunk}`.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? '';
        const frame = { id: field('id'), data: JSON.parse(field('data') || 'null') as unknown };
        frames.push(frame);
        if (isLast(frame)) return { frames, text, is_whole: true };
      }
    }
    return { frames, text, is_whole: true };
  } catch {
    return { frames, text, is_whole: false };
  }
}

const numbers = (frames: readonly Frame[]) =>
  frames.flatMap(({ data }) => /"n":(\d+)/.exec(JSON.stringify(data))?.[1] ?? []).map(Number);
const ALL = Array.from({ length: PIECES }, (_, at) => at + 1);
const face = () => ({ db: database().db, runs: engine().engine }) as unknown as EventStreamFace;

interface Stream {
  readonly name: string;
  readonly open: (run: Run, last: string | null) => Response;
  readonly isLast?: (frame: Frame) => boolean;
}

const streams: readonly Stream[] = [
  {
    name: 'a run',
    open: (run, last) => streamRun(face(), { run, after_seq: seqOf(last), cancel_on_disconnect: false }),
  },
  {
    name: 'a thread',
    open: ({ thread_id }, last_event_id) =>
      streamThread(face(), { thread_id, modes: ['run_modes'], last_event_id }),
    isLast: ({ data }) => (data as { status?: string }).status === 'run_done',
  },
  {
    name: 'the protocol of events',
    open: ({ thread_id }, last) => {
      const since = last === null ? null : Number(last);
      return streamThreadEvents(face(), { thread_id, filter: { channels: ['custom', 'lifecycle'], since } });
    },
    isLast: ({ data }) => JSON.stringify(data).includes('"completed"'),
  },
];

test.each(streams)(
  'when a reader of $name stops reading, then it is cut, and comes back for exactly the rest',
  async ({ open, isLast }) => {
    speak = Promise.withResolvers();
    const run = await begunRun();
    const at = socketPath();
    const listener = toNodeListener(async ({ headers }) => open(run, headers.get('last-event-id')));
    await using _ = await listen(listener, { socket: at }, { drain_ms: 100 });
    const slow = await asked({ socketPath: at });
    speak.resolve();
    await engine().engine.ended(run.run_id, new AbortController().signal);
    const had = await read(slow);
    expect(had.is_whole).toBe(false);
    expect(had.text).toContain(': The reader of this stream was more than 8 MB behind');
    expect(numbers(had.frames).length).toBeLessThan(PIECES);
    const last = had.frames.at(-1)?.id ?? '';
    const rest = await read(await asked({ socketPath: at, headers: { 'last-event-id': last } }), isLast);
    expect(rest.is_whole).toBe(true);
    expect([...numbers(had.frames), ...numbers(rest.frames)]).toEqual(ALL);
  },
);

test('when a reader comes back near the end of a run of 10,000 events, then it holds nobody up', async () => {
  const { run_id, thread_id } = await begunRun(LONG);
  await engine().engine.ended(run_id, new AbortController().signal);
  const filter = { channels: ['messages' as const, 'lifecycle' as const], since: seqIn(1, TOKENS) };
  let text = '';
  const held_ms = await longestHold(async () => {
    const stream = streamThreadEvents(face(), { thread_id, filter }).body!.pipeThrough(
      new TextDecoderStream(),
    );
    for await (const chunk of stream) {
      text += chunk;
      if (text.includes('"completed"')) return;
    }
  });
  expect(text.match(/^id: .*$/gm)).toHaveLength(6);
  expect(held_ms).toBeLessThan(MOST_HELD_MS);
});

test('when a reader of a task stops reading, then it is told so and resubscribes for the rest', async () => {
  speak = Promise.withResolvers();
  const call = (method: string, params: object, headers: object = {}) =>
    asked({
      socketPath: agent_socket,
      path: `/a2a/agent`,
      headers: { 'content-type': 'application/json', 'x-api-key': 'first', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  const message = { kind: 'message', role: 'user', messageId: 'm1', parts: [{ kind: 'text', text: 'hi' }] };
  const slow = await call('message/stream', { message });
  // The task, then that it works.
  const [first] = (await once(slow, 'data')) as [Buffer];
  slow.pause();
  const { id } = (JSON.parse(/data: (.*)/.exec(first.toString())?.[1] ?? '') as { result: { id: string } })
    .result;
  speak.resolve();
  await engine().settled(id, new AbortController().signal);
  const had = await read(slow);
  const end = had.frames.at(-1);
  expect(end?.data).toMatchObject({
    error: { code: -32_603, message: expect.stringContaining('8 MB behind') },
  });
  const last = had.frames.at(-2)?.id ?? '';
  const rest = await read(await call('tasks/resubscribe', { id }, { 'last-event-id': last }));
  expect(rest.frames.at(-1)?.data).toMatchObject({ result: { final: true } });
  const whole = ALL.map((n) => `<${n}>${PIECE}`).join('');
  const text = textOf([rest.frames]);
  expect(text.length).toBe(whole.length);
  expect(text === whole).toBe(true);
  expect(textOf([had.frames]).length).toBeLessThan(whole.length);
});

interface Part {
  readonly text?: string;
}
interface Result {
  readonly artifacts?: readonly { readonly parts: readonly Part[] }[];
  readonly artifact?: { readonly parts: readonly Part[] };
}

/** The text of a snapshot and of what follows it. */
function textOf(streams: readonly (readonly Frame[])[]): string {
  return streams
    .flat()
    .flatMap(({ data }) => {
      const { artifacts = [], artifact } = (data as { result?: Result }).result ?? {};
      return [...artifacts, ...(artifact === undefined ? [] : [artifact])].flatMap(({ parts }) => parts);
    })
    .map(({ text = '' }) => text)
    .join('');
}
