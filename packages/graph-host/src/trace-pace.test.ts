import { expect, test, vi } from 'vitest';
import { createTracePace } from './trace-pace.ts';

function paced() {
  const flushes: (() => void)[] = [];
  const pace = createTracePace(() => new Promise((resolve) => flushes.push(resolve)));
  const end = (count: number) => Array.from({ length: count }, () => pace.ended());
  return { pace, flushes, end };
}

async function isWaiting(turn: Promise<void>): Promise<boolean> {
  const waiting = Symbol('waiting');
  const settled = await Promise.race([turn, new Promise((resolve) => setImmediate(resolve, waiting))]);
  return settled === waiting;
}

test('runs begin at once while few traces wait', async () => {
  const { pace, flushes, end } = paced();
  end(49);
  expect(flushes).toHaveLength(0);
  end(200);
  expect(flushes).toHaveLength(1);
  expect(await isWaiting(pace.turn())).toBe(false);
});

test('beyond that a run waits until they are sent', async () => {
  const { pace, flushes, end } = paced();
  end(250);
  const turn = pace.turn();
  expect(await isWaiting(turn)).toBe(true);
  flushes[0]?.();
  await turn;
  // What ended since the client was asked counts as unsent.
  end(50);
  expect(flushes).toHaveLength(2);
});

test('where traces can’t be sent, runs go on after a while', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { pace, end } = paced();
  end(250);
  const turn = pace.turn();
  expect(await isWaiting(turn)).toBe(true);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await isWaiting(turn)).toBe(false);
  vi.useRealTimers();
});
