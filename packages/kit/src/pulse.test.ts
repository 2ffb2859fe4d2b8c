import { afterEach, expect, test, vi } from 'vitest';
import { Pulse } from './pulse.ts';

afterEach(() => void vi.useRealTimers());

test.each([
  ['an answer that lies there when we go on ourselves counts', 100, []],
  ['no answer is silence, and then loss', Infinity, ['silent', 'lost']],
])('when pings are sent, then %s', async (_title, answers_after_ms, told) => {
  // Callbacks right after a timer are left to the real event loop.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const heard: string[] = [];
  using pulse = new Pulse({
    ping_ms: 10,
    silent_ms: 100,
    unresponsive_ms: 100,
    ping: () =>
      new Promise<void>((resolve) => {
        if (answers_after_ms < Infinity) setTimeout(resolve, answers_after_ms);
      }),
    onSilent: () => heard.push('silent'),
    onBack: () => heard.push('back'),
    onLost: () => heard.push('lost'),
  });
  vi.advanceTimersByTime(10);
  // Silence and answer fall due together, the check first.
  vi.advanceTimersByTime(100);
  await new Promise((resolve) => setImmediate(resolve));
  expect([heard, pulse.silent_since !== undefined]).toEqual([told, told.length > 0]);
});
