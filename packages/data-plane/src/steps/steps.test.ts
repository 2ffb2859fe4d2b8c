import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runStep } from './steps.ts';

const never = () => new Promise<never>(() => undefined);
const calm = () => new AbortController().signal;

test('when work settles, then it is answered as it is, and nothing is disposed of', async () => {
  const late: unknown[] = [];
  const step = { signal: calm(), onLate: (one: unknown) => late.push(one) };
  expect(await runStep(async () => 7, step)).toBe(7);
  const failing = async () => {
    throw new Error('its own');
  };
  await expect(runStep(failing, step)).rejects.toThrow('its own');
  expect(late).toEqual([]);
});

test('when the signal is aborted, then work is not begun', async () => {
  let begun = 0;
  const work = async () => void (begun += 1);
  const signal = AbortSignal.abort(new Error('given up'));
  await expect(runStep(work, { signal })).rejects.toThrow('given up');
  expect(begun).toBe(0);
});

test('when work never settles, then it is left to itself after its signal', async () => {
  const stop = new AbortController();
  const running = runStep(never, { signal: stop.signal, grace_ms: 10 });
  stop.abort(new Error('given up'));
  await expect(running).rejects.toThrow('given up');
});

test('when work never settles, then it is left to itself after its limit, in the words of that', async () => {
  const limit = { ms: 10, error: () => new Error('took too long') };
  await expect(runStep(never, { signal: calm(), limit, grace_ms: 10 })).rejects.toThrow('took too long');
});

test('when work tells that it goes on, then it may pass its limit, until it is silent', async () => {
  const limit = { ms: 200, error: () => new Error('took too long') };
  const told = async (_: AbortSignal, goesOn: () => void) => {
    for (let at = 0; at < 8; at += 1) {
      await after(50);
      goesOn();
    }
    return 'done';
  };
  expect(await runStep(told, { signal: calm(), limit, grace_ms: 10 })).toBe('done');
  const silent = async (_: AbortSignal, goesOn: () => void) => {
    goesOn();
    return never();
  };
  await expect(runStep(silent, { signal: calm(), limit, grace_ms: 10 })).rejects.toThrow('took too long');
});

test('when work ends by its limit, then it says that it took too long, and has time to clean up', async () => {
  let cleaned = false;
  const work = async (signal: AbortSignal) => {
    try {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('killed'))));
    } finally {
      await new Promise(setImmediate);
      cleaned = true;
    }
  };
  const limit = { ms: 10, error: () => new Error('took too long') };
  await expect(runStep(work, { signal: calm(), limit, grace_ms: 60_000 })).rejects.toThrow('took too long');
  expect(cleaned).toBe(true);
});

test('when something comes late, then it is disposed of, and a late error is nobody’s', async () => {
  const late: string[] = [];
  const stop = new AbortController();
  const [one, other] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const step = { signal: stop.signal, grace_ms: 10, onLate: (what: string) => late.push(what) };
  const running = [runStep(() => one.promise, step), runStep(() => other.promise, step)];
  stop.abort(new Error('given up'));
  await expect(running[0]).rejects.toThrow('given up');
  await expect(running[1]).rejects.toThrow('given up');
  other.reject(new Error('late'));
  one.resolve('a host');
  await expect.poll(() => late).toEqual(['a host']);
});
