import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { OTHER_STORIES, REPLICATED_STORIES } from './stories.ts';

test('when there is a story, then it is told against replicas, or there is a reason why not', async () => {
  const names = await readdir(new URL('../stories', import.meta.url));
  const stories = names.filter((name) => name.endsWith('.test.ts'));
  expect(stories.length).toBeGreaterThan(15);
  expect([...REPLICATED_STORIES, ...Object.keys(OTHER_STORIES)].toSorted()).toEqual(stories.toSorted());
});
