import { AsyncBatchedStore, InMemoryStore } from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { askedQuietly } from './quiet-store.ts';

/** What reached the store itself, a list for each time. */
let batches: number[];
class CountedStore extends InMemoryStore {
  override batch(operations: never): Promise<never> {
    batches.push((operations as readonly unknown[]).length);
    return super.batch(operations);
  }
}

class Quiet extends AsyncBatchedStore {}
for (const name of ['enqueueOperation', 'processBatchQueue', 'stop'] as const)
  Object.defineProperty(Quiet.prototype, name, {
    value: (AsyncBatchedStore.prototype as unknown as Record<string, unknown>)[name],
    writable: true,
  });
askedQuietly(Quiet);

beforeEach(() => {
  batches = [];
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

test('when nothing is asked of a store, then nothing looks', async () => {
  for (const [Store, timers] of [
    [AsyncBatchedStore, 1],
    [Quiet, 0],
  ] as const) {
    const store = new Store(new CountedStore());
    store.start();
    await vi.advanceTimersByTimeAsync(10);
    expect(vi.getTimerCount()).toBe(timers);
    const stopped = store.stop();
    await vi.advanceTimersByTimeAsync(10);
    await stopped;
    expect(vi.getTimerCount()).toBe(0);
  }
});

test.each([
  ['the original', AsyncBatchedStore],
  ['ours', Quiet],
])('when much is asked at one moment, then it goes in one batch: %s', async (_, Store) => {
  const store = new Store(new CountedStore());
  store.start();
  const answered: unknown[] = [];
  for (const asked of [
    () => [store.put(['a'], 'one', { a: 1 }), store.put(['a'], 'two', { a: 2 })],
    () => [store.get(['a'], 'one'), store.get(['a'], 'none'), store.search(['a'], { limit: 1 })],
  ]) {
    const answers = Promise.all<unknown>(asked());
    await vi.advanceTimersByTimeAsync(10);
    answered.push(...(await answers));
  }
  expect(answered.slice(2)).toMatchObject([{ value: { a: 1 } }, null, [{ key: 'one' }]]);
  expect(batches).toEqual([2, 3]);
});

test.each([
  ['the original', AsyncBatchedStore],
  ['ours', Quiet],
])('when a store stops, then it answers what was asked, and it can start again: %s', async (_, Store) => {
  const store = new Store(new CountedStore());
  store.start();
  await vi.advanceTimersByTimeAsync(10);
  const last = store.put(['a'], 'one', { a: 1 });
  const stopped = store.stop();
  await vi.advanceTimersByTimeAsync(10);
  await Promise.all([last, stopped]);
  const later = store.get(['a'], 'one');
  await vi.advanceTimersByTimeAsync(10);
  expect(batches).toEqual([1]);
  store.start();
  await vi.advanceTimersByTimeAsync(10);
  expect((await later)?.value).toEqual({ a: 1 });
});

test.each([
  ['the original', AsyncBatchedStore],
  ['ours', Quiet],
])('when the store refuses, then the asker is told and nobody later: %s', async (_, Store) => {
  const broken = new (class extends InMemoryStore {
    override batch(): Promise<never> {
      return Promise.reject(new Error('No room'));
    }
  })();
  const store = new Store(broken);
  store.start();
  for (const key of ['one', 'two']) {
    const refused = store.get(['a'], key).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    expect(await refused).toEqual(new Error('No room'));
  }
});

test('when a store works in another way, then it is left alone', () => {
  class Other {
    async processBatchQueue() {
      await Promise.resolve();
    }
  }
  const { processBatchQueue } = Other.prototype;
  askedQuietly(Other);
  askedQuietly(undefined);
  expect(Other.prototype.processBatchQueue).toBe(processBatchQueue);
});
