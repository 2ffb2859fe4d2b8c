import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFixturePerTest, useFolderPerTest } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { SourceWatch } from './source-watch.ts';

const folder = useFolderPerTest('watch-');
const stop = useFixturePerTest(() => {
  const controller = new AbortController();
  return Object.assign(controller, { [Symbol.asyncDispose]: async () => controller.abort() });
});
beforeEach(async () => {
  await mkdir(join(folder(), 'src'));
  await mkdir(join(folder(), 'node_modules', 'a'), { recursive: true });
  await writeFile(join(folder(), 'src', 'a.js'), '1');
});

test('when a file changes, also in a folder that was made meanwhile, then the change is told', async () => {
  using watch = await SourceWatch.open(folder());
  const changed = watch.next(stop().signal);
  await writeFile(join(folder(), 'src', 'a.js'), '2');
  await expect(changed).resolves.toBeUndefined();
  const made = watch.next(stop().signal);
  await mkdir(join(folder(), 'src', 'more'));
  await expect(made).resolves.toBeUndefined();
  const inside = watch.next(stop().signal);
  await writeFile(join(folder(), 'src', 'more', 'b.js'), '1');
  await expect(inside).resolves.toBeUndefined();
});

test('when a file changes while nobody waits, then the next one that waits is told', async () => {
  using watch = await SourceWatch.open(folder());
  await writeFile(join(folder(), 'src', 'a.js'), '2');
  await expect(watch.next(stop().signal)).resolves.toBeUndefined();
});

test('when a file changes that would not be deployed, then nothing is told', async () => {
  using watch = await SourceWatch.open(folder());
  let told = false;
  const next = watch.next(stop().signal).then(
    () => (told = true),
    () => undefined,
  );
  await writeFile(join(folder(), 'node_modules', 'a', 'index.js'), '1');
  const other = SourceWatch.open(join(folder(), 'node_modules', 'a'));
  using seen = await other;
  const inside = seen.next(stop().signal);
  await writeFile(join(folder(), 'node_modules', 'a', 'index.js'), '2');
  await inside;
  expect(told).toBe(false);
  stop().abort();
  await next;
});

test('when its signal aborts, then the watch ends', async () => {
  using watch = await SourceWatch.open(folder());
  const next = watch.next(stop().signal);
  stop().abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
});

test('when it is closed while it looks for new folders, then it watches nothing any more', async () => {
  const watchers = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('FSEvent')).length;
  const before = watchers();
  const watch = await SourceWatch.open(folder());
  using other = await SourceWatch.open(folder());
  expect(watchers()).toBeGreaterThan(before);
  const noticed = other.next(stop().signal);
  await writeFile(join(folder(), 'src', 'a.js'), '2');
  await noticed;
  const next = watch.next(stop().signal);
  watch[Symbol.dispose]();
  await next;
  other[Symbol.dispose]();
  await expect.poll(watchers).toBe(before);
});
