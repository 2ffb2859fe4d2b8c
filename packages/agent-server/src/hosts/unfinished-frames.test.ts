import { expect, test } from 'vitest';
import { UnfinishedFrames } from './unfinished-frames.ts';

test('when unfinished frames exceed the limit, then the host that holds the most is ended alone', () => {
  const frames = new UnfinishedFrames(100);
  const ended: string[] = [];
  const [small, large, late] = ['small', 'large', 'late'].map((name) => ({
    endForMemory: () => void ended.push(name),
  }));
  if (small === undefined || large === undefined || late === undefined) throw new Error('three senders');
  frames.hold(small, 20);
  frames.hold(large, 70);
  frames.hold(small, 0);
  frames.hold(small, 30);
  expect(ended).toEqual([]);
  frames.hold(late, 10);
  expect(ended).toEqual(['large']);
  frames.hold(late, 70);
  expect(ended).toEqual(['large']);
  frames.hold(small, 40);
  expect(ended).toEqual(['large', 'late']);
});
