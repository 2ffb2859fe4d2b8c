import { expect, test } from 'vitest';
import { FixtureHolder } from './fixture-holder.ts';

function slow() {
  const { promise, resolve, reject } = Promise.withResolvers<AsyncDisposable>();
  const events: string[] = [];
  const value = { [Symbol.asyncDispose]: async () => void events.push('closed') };
  return { holder: new FixtureHolder(() => promise), events, value, resolve, reject };
}

test('when a holder closes while it opens, then it disposes of what comes of that', async () => {
  const { holder, events, value, resolve } = slow();
  const opening = holder.open();
  const closing = holder.close();
  expect(events).toEqual([]);
  resolve(value);
  await Promise.all([opening, closing]);
  expect(events).toEqual(['closed']);
  expect(() => holder.read()).toThrow('A fixture is open in hooks and tests alone.');
});

test('when an opening fails, then only the opening says so, and closing has nothing to do', async () => {
  const { holder, reject } = slow();
  const opening = holder.open();
  reject(new Error('no room'));
  await expect(opening).rejects.toThrow('no room');
  await expect(holder.close()).resolves.toBeUndefined();
});

test('when an open holder closes twice, then it disposes once', async () => {
  const { holder, events, value, resolve } = slow();
  resolve(value);
  await holder.open();
  expect(holder.read()).toBe(value);
  await holder.close();
  await holder.close();
  expect(events).toEqual(['closed']);
});
