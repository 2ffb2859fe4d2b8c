import { expect, test } from 'vitest';
import { boundedBuilder } from './bounded-ports.ts';
import type { Builder, BuildOrder } from './builders/builder.ts';

const never = () => new Promise<never>(() => undefined);

/** An order, and what was said by whoever builds it. */
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

test('a builder that never settles is over at its limit, in words', { timeout: 20_000 }, async () => {
  const builder = boundedBuilder(builderOf(never), { limit_s: 0.05, onLate: () => undefined });
  const { order } = orderOf(new AbortController().signal);
  await expect(builder.build(order)).rejects.toMatchObject({
    message: 'The build took longer than 0.05 s.',
    hint: expect.stringContaining('ROADSTEAD_BUILD_TIMEOUT_S'),
  });
});

test(
  'a builder that comes back to life says nothing, and what it built is forgotten',
  { timeout: 20_000 },
  async () => {
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
  },
);
