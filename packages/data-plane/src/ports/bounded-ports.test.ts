import { expect, test } from 'vitest';
import { boundedBuilder, boundedDatabases, boundedRuntime } from './bounded-ports.ts';
import type { Builder, BuildOrder } from './builder.ts';
import type { RunningDeployment, RuntimeDeployment } from './runtime.ts';
import { TookTooLong } from '../steps/steps.ts';

const never = () => new Promise<never>(() => undefined);

/** A build order, and the messages of its builder. */
function orderOf(signal: AbortSignal) {
  const said: string[] = [];
  const order = {
    revision: { id: 'r' },
    onPhase: async (phase: string) => void said.push(phase),
    onLine: (line: string) => said.push(line),
    credentials: async () => null,
    onCommit: async (sha: string) => void said.push(sha),
    signal,
  } as unknown as BuildOrder;
  return { said, order };
}

const builderOf = (build: Builder['build']): Builder => ({ forms: ['archive'], build });

test('when a builder never settles, then it is over at its limit, in words', async () => {
  const builder = boundedBuilder(builderOf(never), { limit_s: 0.05, onLate: () => undefined });
  const { order } = orderOf(new AbortController().signal);
  await expect(builder.build(order)).rejects.toMatchObject({
    message: 'The build took longer than 0.05 s.',
    hint: expect.stringContaining('ROADSTEAD_BUILD_TIMEOUT_S'),
  });
});

test('when a builder comes back to life, then it says nothing, and what it built is forgotten', async () => {
  const slow = Promise.withResolvers<void>();
  const after: unknown[] = [];
  const builder = boundedBuilder(
    builderOf(async ({ onLine, onPhase }) => {
      onLine('before', 'INFO');
      await slow.promise;
      onLine('after', 'INFO');
      after.push(await onPhase('build').catch((error: Error) => error.message));
      return 'sha256:late';
    }),
    { limit_s: 60, onLate: ({ revision }) => after.push(revision.id) },
  );
  const stop = new AbortController();
  const { order, said } = orderOf(stop.signal);
  const built = builder.build(order);
  stop.abort(new Error('given up'));
  await expect(built).rejects.toThrow('given up');
  slow.resolve();
  await expect.poll(() => after).toEqual(['given up', 'r']);
  expect(said).toEqual(['before']);
});

test('when a database is not dropped in time, then that is said, and it can be tried again', async () => {
  const drops: (() => Promise<void>)[] = [never, async () => undefined];
  const databases = boundedDatabases(
    {
      ensure: async () => '',
      give: async () => undefined,
      kindOf: () => 'shared',
      drop: () => drops.shift()?.() ?? never(),
      [Symbol.asyncDispose]: async () => undefined,
    },
    50,
  );
  await expect(databases.drop('d')).rejects.toEqual(new TookTooLong('the database was not dropped', 50));
  await expect(databases.drop('d')).resolves.toBeUndefined();
});

/** Closing ends in its own error, or never; processes end when they are killed, or not. */
const stubborn: Record<string, { readonly close: () => Promise<void>; readonly left: number }> = {
  'closing never ends, and processes end when they are killed': { close: never, left: 0 },
  'closing never ends, and processes do not either': { close: never, left: 2 },
  'closing fails, and processes end when they are killed': {
    close: async () => {
      throw new Error('its own');
    },
    left: 0,
  },
  'closing ends and leaves processes, which end when they are killed': {
    close: async () => undefined,
    left: 0,
  },
};

test.each(Object.entries(stubborn))('when %s, then that is said', async (_what, { close, left }) => {
  let hosts = 2;
  const running = {
    hosts: () => hosts,
    kill: () => void (hosts = left),
    [Symbol.asyncDispose]: close,
  } as unknown as RunningDeployment;
  const runtime = boundedRuntime(
    { open: async () => running, forget: async () => undefined, removeOrphans: async () => undefined },
    50,
  );
  const opened = await runtime.open({ signal: new AbortController().signal } as RuntimeDeployment);
  const end = await opened[Symbol.asyncDispose]().then(
    () => 'closed',
    (error: Error) => error.message,
  );
  expect(hosts).toBe(left);
  expect(end).toBe(
    left > 0
      ? 'the processes of the deployment did not end within 0.05 s'
      : close === never
        ? 'the deployment was not closed within 0.05 s'
        : _what.startsWith('closing fails')
          ? 'its own'
          : 'closed',
  );
});
