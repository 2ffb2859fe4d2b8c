import { expect, test } from 'vitest';
import { checksOfHosts } from '@roadstead/contracts/host-peer';
import { Problem } from '@roadstead/kit';
import { GraphHost } from './graph-host.ts';
import type { HostHandle } from './host-process.ts';

/** A host serves where it shares a version of the protocol with the engine. */

interface Fake {
  readonly host: GraphHost;
  /** The parameters of each question. */
  readonly asked: unknown[];
}

interface Start {
  readonly start_ms?: number;
  /** Settles before it answers. */
  readonly loading?: Promise<void>;
}

function startHost(
  protocol_versions: readonly number[] | undefined,
  others: object = {},
  { start_ms = 60_000, loading }: Start = {},
): Fake {
  const asked: unknown[] = [];
  const description = {
    graphs: [],
    langgraph_version: null,
    ...others,
    ...(protocol_versions === undefined ? {} : { protocol_versions }),
  };
  const process: HostHandle = {
    pid: 1,
    exited: new Promise(() => undefined),
    out_of_memory: false,
    breach: undefined,
    refusal_code: undefined,
    begun: Promise.resolve(),
    ask: async (method, params) => {
      asked.push([method, params]);
      await loading;
      return { result: checksOfHosts.result(method, { result: description, blobs: 0 }), blobs: [] };
    },
    fetch: () => Promise.reject(new Error('No app.')),
    connect: () => Promise.reject(new Error('No app.')),
    kill: () => undefined,
    stop: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const on = {
    room: () => undefined,
    silent: () => undefined,
    heldUp: () => undefined,
    heldTooLong: () => undefined,
    back: () => undefined,
    lost: () => undefined,
  };
  const limits = { ping_ms: 60_000, silent_ms: 60_000, unresponsive_ms: 60_000 };
  return { host: new GraphHost({ process, start_ms, on, ...limits }), asked };
}

test('when a host is described, then it learns which versions the engine speaks', async () => {
  const { host, asked } = startHost([1]);
  await host.ready;
  expect(asked).toEqual([['describe', { protocol_versions: [1] }]]);
  host.end('It ended.');
});

test.each([[undefined], [[1]], [[1, 2]], [[7, 1]]])(
  'when a host speaks the versions %j, then it is ready',
  async (versions) => {
    const { host } = startHost(versions);
    expect((await host.ready).graphs).toEqual([]);
    host.end('It ended.');
  },
);

test('when a host does not load in time, then it is said, and who may change that', async () => {
  const { host } = startHost([1], {}, { start_ms: 20, loading: new Promise(() => undefined) });
  await expect(host.ready).rejects.toMatchObject({
    kind: 'unavailable',
    message: 'The agent did not start within 0.02 s.',
    hint: expect.stringContaining('ROADSTEAD_START_S'),
  });
  host.end('It ended.');
});

test.each([
  [[2], 'The graph host speaks version 2 of the host protocol, and this engine version 1.'],
  [[3, 4], 'The graph host speaks version 3, 4 of the host protocol, and this engine version 1.'],
  [[], 'The graph host speaks no version of the host protocol, and this engine version 1.'],
])(
  'when a host speaks only the versions %j, then it fails to load and says so',
  async (versions, sentence) => {
    const { host } = startHost(versions);
    await expect(host.ready).rejects.toEqual(new Problem('invalid', sentence));
    host.end('It ended.');
  },
);

test('when a description has the shape of another version, then only its versions are read', async () => {
  const { host } = startHost([2], { graphs: 'elsewhere' });
  await expect(host.ready).rejects.toMatchObject({
    kind: 'invalid',
    message: 'The graph host speaks version 2 of the host protocol, and this engine version 1.',
  });
  host.end('It ended.');
});
