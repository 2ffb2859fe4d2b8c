import { expect, test } from 'vitest';
import { checkpointBefore, stepsOf } from './steps-rules.ts';

const state = (id: string, parent: string | null, more: object = {}) => ({
  values: {},
  next: [] as string[],
  checkpoint_id: id,
  parent_checkpoint_id: parent,
  metadata: { source: 'loop' },
  tasks: [],
  created_at: null,
  ...more,
});

const human = { id: 'h', type: 'human', content: 'x' };
const states = [
  state('e', 'b', { values: { messages: [human, { id: 'other' }] } }),
  state('d', 'c', { values: { messages: [human, { id: 'm' }] } }),
  state('c', 'b', { next: ['model'], values: { messages: [human] } }),
  state('b', 'a', { next: ['model'], values: { messages: [human] }, metadata: { source: 'loop', step: 0 } }),
  state('a', null, { next: ['__start__'], metadata: { source: 'input', step: -1 } }),
];

test('when a thread was forked, then the steps on the way to the newest are known', () => {
  expect(stepsOf(states).map(({ id, by, is_on_path, branches }) => [id, by, is_on_path, branches])).toEqual([
    ['e', 'model', true, 0],
    ['d', 'model', false, 0],
    ['c', 'model', false, 1],
    ['b', 'start', true, 2],
    ['a', 'input', true, 1],
  ]);
});

test('when a message is to be said anew, then the checkpoint before it is found', () => {
  expect(['h', 'other', 'm'].map((id) => checkpointBefore(states, id))).toEqual(['a', 'b', undefined]);
});
