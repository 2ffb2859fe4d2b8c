import { expect, test } from 'vitest';
import { openThread } from './open-rules.ts';

const [a, b] = [{ thread_id: 'a' }, { thread_id: 'b' }];

test.each([
  { waiting: [a, b], named: undefined, before: undefined, isComplete: false, open: a },
  { waiting: [a, b], named: 'b', before: a, isComplete: true, open: b },
  // Slower agents answer, and theirs wait longer.
  { waiting: [a, b], named: 'b', before: b, isComplete: false, open: b },
  // Somebody else answers what is open.
  { waiting: [a], named: 'b', before: b, isComplete: true, open: b },
  { waiting: [], named: 'b', before: b, isComplete: true, open: b },
  // An address is opened: at first, and once all have answered.
  { waiting: [a], named: 'b', before: undefined, isComplete: false, open: undefined },
  { waiting: [a], named: 'b', before: undefined, isComplete: true, open: a },
  { waiting: [], named: undefined, before: b, isComplete: true, open: undefined },
])(
  'when $named is named and $waiting wait after $before, then $open is open',
  ({ waiting, open, ...conditions }) => {
    expect(openThread(waiting, conditions)).toBe(open);
  },
);
