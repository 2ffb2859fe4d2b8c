import { expect, test } from 'vitest';
import { SharedParts } from '@roadstead/contracts/host-peer';
import { longestHold, MOST_HELD_MS, useFolderPerTest } from '@roadstead/testing';
import { type Fence, FencedProcess } from '@roadstead/fence';
import { javascriptHost } from './javascript/javascript-host.ts';
import { launchFenced } from './fenced-launcher.ts';
import { HostProcess } from './host-process.ts';
import type { RunSink } from './run-sink.ts';

const BREACH = 'The graph host broke the host protocol';
const folder = useFolderPerTest('host-');

/** Every host program of these tests begins like this, and then runs until it is ended. */
const CHANNEL = `
const channel = new (require('net').Socket)({ fd: 3 });
const frame = (text) => {
  const head = Buffer.from(text);
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32BE(head.length + 4);
  prefix.writeUInt32BE(head.length, 4);
  return Buffer.concat([prefix, head]);
};
setInterval(() => {}, 1000);
`;
/** Sends one frame with a list of so many lists. */
const SEND_LISTS = `channel.write(frame('{"id":1,"method":"checkpoint.list","params":{"filter":{"x":[' + '[],'.repeat(Number(process.argv[1]) - 1) + '[]]}}}'))`;
/** Sends one frame of more than 300 KB with a list in a list and so on, so many levels. */
const SEND_DEPTH = `const depth = Number(process.argv[1]);
channel.write(frame('{"id":1,"method":"checkpoint.list","params":{"filter":{"pad":"' + 'x'.repeat(300_000) + '","x":' + '['.repeat(depth) + ']'.repeat(depth) + '}}}'));`;
/** Sends one frame with so many blobs, all of them empty. */
const SEND_BLOBS = `channel.write(frame('{"id":1,"method":"checkpoint.list","params":{},"blobs":[' + '0,'.repeat(Number(process.argv[1]) - 1) + '0]}'));`;
const SEND_LINES = `
const line = frame('{"method":"log","params":{"level":"INFO","message":"a line"}}');
for (let at = 0; at < Number(process.argv[1]); at += 1000) channel.write(Buffer.concat(Array(1000).fill(line)));
channel.write(frame('{"id":1,"method":"checkpoint.list","params":{}}'));`;
const SEND_QUESTIONS = `
for (let id = 1; id <= Number(process.argv[1]); id += 1)
  channel.write(frame('{"id":' + id + ',"method":"checkpoint.list","params":{}}'));`;

// oxlint-disable-next-line roadstead/two-positional -- a program, its argument, and who hears it
function startHost(program: string, count: number, { ask, tell = () => undefined }: Partial<RunSink> = {}) {
  const asked = Promise.withResolvers<string>();
  const fence: Fence = {
    isolation: 'none',
    resource_limits: 'none',
    start: ({ command, environment, pipes }) => new FencedProcess({ command, environment, pipes }),
  };
  const host = new HostProcess({
    launched: launchFenced(fence, {
      kind: javascriptHost,
      program: {
        command: [process.execPath, '-e', CHANNEL + program, String(count)],
        cwd: folder(),
        environment: {},
        reads: [],
        writes: [],
        home: folder(),
      },
    }),
    handlers: {
      ask: async (question, beside) => {
        asked.resolve(`asked ${question.method}`);
        return (await ask?.(question, beside)) ?? { result: null };
      },
      tell,
    },
    onLine: () => undefined,
    mask: (text) => text,
  });
  return { host, came: Promise.race([asked.promise, host.exited]) };
}

test.each([
  [100_000, 'asked checkpoint.list'],
  [6_000_000, `${BREACH}: a head can't be read, as it holds more than 5000000 values.`],
])('when a frame has %i values, then the outcome is: %s', async (values, outcome) => {
  const { host, came } = startHost(SEND_LISTS, values);
  await using _host = host;
  expect(await came).toBe(outcome);
});

test.each([
  // More than a body may have, which hosts put into further levels.
  [600, 'asked checkpoint.list'],
  [640, `${BREACH}: a head can't be read, as it is nested deeper than 640 levels.`],
])('when a large frame has %i levels, then the outcome is: %s', async (depth, outcome) => {
  const { host, came } = startHost(SEND_DEPTH, depth);
  await using _host = host;
  expect(await came).toBe(outcome);
});

test.each([
  [100_000, 'asked checkpoint.list'],
  [4_900_000, `${BREACH}: a frame has more than 100000 blobs.`],
])('when a frame has %i empty blobs, then the outcome is: %s', async (blobs, outcome) => {
  const { host, came } = startHost(SEND_BLOBS, blobs);
  await using _host = host;
  expect(await came).toBe(outcome);
});

test('when a host says 30,000 lines at once, then the event loop is not held', async () => {
  const LINES = 30_000;
  let told = 0;
  const { host, came } = startHost(SEND_LINES, LINES, {
    // About what a line of a deployment's log takes.
    tell: () => {
      if ('a word '.repeat(1000).replaceAll('word', 'words').includes('words')) told += 1;
    },
  });
  await using _host = host;
  expect(await longestHold(() => came)).toBeLessThan(MOST_HELD_MS);
  expect([told, await came]).toEqual([LINES, 'asked checkpoint.list']);
});

test('when a host asks 4,000 questions and ends, then what waits is not worked at', async () => {
  const begun = { count: 0, at_once: 0, most: 0 };
  const enough = Promise.withResolvers<void>();
  const { host } = startHost(SEND_QUESTIONS, 4000, {
    ask: async () => {
      begun.count += 1;
      begun.at_once += 1;
      begun.most = Math.max(begun.most, begun.at_once);
      if (begun.count === 100) enough.resolve();
      await new Promise((resolve) => setTimeout(resolve, 5));
      begun.at_once -= 1;
      return { result: { tuples: [] } };
    },
  });
  await using _host = host;
  await enough.promise;
  host.kill();
  await host.exited;
  const { count, most } = begun;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([begun.count, most]).toEqual([count, 8]);
  expect(count).toBeLessThan(4000);
});

const EMIT = `channel.write(frame('{"method":"emit","params":{"run_id":"r","attempt":1,"events":{}}}'));`;
const ANSWER = `channel.on('data', () => channel.write(frame('{"re":1,"result":{"runs":"none"}}')));`;
const STORE = `channel.write(frame('{"id":1,"method":"store.batch","params":{"operations":[{"op":"search","namespace_prefix":[],"limit":"1; drop table store","offset":0}]}}'));`;

test.each([
  ['tells events that are no list', EMIT, 'in "emit", params.events must be a list', 'r'],
  [
    'asks for a limit that is no number',
    STORE,
    'in "store.batch", params.operations[0].limit must be a number',
    undefined,
  ],
  ['answers what does not fit', ANSWER, 'in the answer to "ping", result.runs must be a number', undefined],
])(
  'when a host %s, then it ends with a sentence, and nobody hears of it',
  async (_what, program, place, run_id) => {
    const heard: unknown[] = [];
    const { host } = startHost(program, 0, {
      ask: async (question) => ({ result: heard.push(question) }),
      tell: (message) => void heard.push(message),
    });
    await using _host = host;
    const sentence = `The graph host broke the host protocol: ${place}.`;
    // Open questions fail as they do when a host dies, so that runs are tried again.
    await expect(host.ask('ping', {})).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await host.exited).toBe(sentence);
    expect(host.breach).toEqual({ run_id });
    expect(heard).toEqual([]);
  },
);

test('when a part that is shared was never sent, then asking for room with it ends the host, too', async () => {
  const broken = `channel.write(frame('{"id":1,"method":"emit","params":{"run_id":"r","attempt":1,"events":[{"kind":"stream","event":"messages","ns":[],"data":[{}],"shared":4}]}}'));`;
  const parts = new SharedParts();
  const { host } = startHost(broken, 0, {
    ask: async (question) => {
      if (question.method === 'emit')
        for (const event of question.params.events) if (event.kind === 'stream') parts.whole(event);
      return { result: {} };
    },
  });
  await using _host = host;
  expect(await host.exited).toBe(
    'The graph host broke the host protocol: an event shares what was not sent before.',
  );
  expect(host.breach).toEqual({ run_id: 'r' });
});

test('when what a host tells can not be taken, then the run that it names is known', async () => {
  const tells = `channel.write(frame('{"method":"emit","params":{"run_id":"r","attempt":1,"events":[]}}'));`;
  const { host } = startHost(tells, 0, {
    tell: () => {
      throw new RangeError('Maximum call stack size exceeded');
    },
  });
  await using _host = host;
  expect(await host.exited).toBe(`${BREACH}: "emit" holds what can't be taken.`);
  expect(host.breach).toEqual({ run_id: 'r' });
});
