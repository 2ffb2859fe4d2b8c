import { access } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { useFixture, useFixturePerTest } from './use-fixture.ts';
import { useFolder, useFolderPerTest } from './use-folder.ts';

const events: string[] = [];

function opened(name: string): AsyncDisposable & { readonly name: string } {
  events.push(`open ${name}`);
  return { name, [Symbol.asyncDispose]: async () => void events.push(`close ${name}`) };
}

describe('a suite with fixtures', () => {
  const first = useFixture(async () => opened('first'));
  const second = useFixture(() => opened(`second, with ${first().name}`));
  const each = useFixturePerTest(async () => opened('each'));
  const plain = useFixture(() => 7);

  test('when a test begins, then all are open, in the order in which they are written', () => {
    expect(events).toEqual(['open first', 'open second, with first', 'open each']);
    expect([first().name, second().name, each().name, plain()]).toEqual([
      'first',
      'second, with first',
      'each',
      7,
    ]);
  });

  test('when a test has ended, then what is open for each test was closed, and opens again', () => {
    expect(events.slice(2)).toEqual(['open each', 'close each', 'open each']);
  });
});

test('when the suite has ended, then its fixtures were closed in the reverse order', () => {
  expect(events.slice(-2)).toEqual(['close second, with first', 'close first']);
});

const outside = useFixturePerTest(() => 'open');
let early: unknown;
try {
  outside();
} catch (error) {
  early = error;
}

test('when a fixture is read before it opens, then its accessor says so', () => {
  expect(early).toEqual(new Error('A fixture is open in hooks and tests alone.'));
  expect(outside()).toBe('open');
});

const left: string[] = [];

describe('a suite with folders', () => {
  const folder = useFolder('use-folder-');
  const own = useFolderPerTest('use-folder-');

  test('when a test runs, then its folders are there', async () => {
    left.push(folder(), own());
    for (const path of left) await expect(access(path)).resolves.toBeUndefined();
  });

  test('when another test runs, then it has the folder of the suite and another of its own', async () => {
    expect(folder()).toBe(left[0]);
    expect(own()).not.toBe(left[1]);
    await expect(access(left[1] ?? '')).rejects.toThrow('ENOENT');
  });
});

test('when a suite has ended, then its folder is removed', async () => {
  await expect(access(left[0] ?? '')).rejects.toThrow('ENOENT');
});
