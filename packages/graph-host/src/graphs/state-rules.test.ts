import { expect, test } from 'vitest';
import { checkpointOf } from './state-rules.ts';

const place = { thread_id: 'thread', checkpoint_id: 'checkpoint', checkpoint_ns: '' };

test.each([
  [undefined, null],
  [null, null],
  [5, null],
  [['a'], null],
  [{ '': 'one', x: 1, y: null }, { '': 'one' }],
])('when a map of checkpoints is %j, then it is shown as %j', (checkpoint_map, shown) => {
  expect(checkpointOf({ configurable: { ...place, checkpoint_map } })).toEqual({
    ...place,
    checkpoint_map: shown,
  });
});
