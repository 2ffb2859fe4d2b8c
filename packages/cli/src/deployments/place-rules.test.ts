import { expect, test } from 'vitest';
import { findListener, placeOf } from './place-rules.ts';

const id = (digit: string) => `${digit.repeat(8)}-aaaa-4aaa-8aaa-aaaaaaaaaaaa`;
const known = [
  { id: id('a'), compute_id: 'berlin' },
  { id: id('b'), compute_id: 'cafe' },
  { id: id('c'), compute_id: 'embedded' },
  { id: id('d'), compute_id: 'embedded' },
];

test.each([
  ['a name', 'berlin', id('a')],
  ['a name of hexadecimal digits', 'cafe', id('b')],
  ['an id', id('c'), id('c')],
  ['an id in capitals', id('d').toUpperCase(), id('d')],
])('when a listener is named by %s, then it is found', (_case, wanted, found) => {
  expect(findListener(wanted, known).id).toBe(found);
});

test.each([
  ['one that is not there', 'paris', known, /^--listener paris names no listener.* berlin \(aaaaaaaa-/],
  ['the beginning of an id', 'aaaaaaaa', known, /^--listener aaaaaaaa names no listener/],
  ['a name of several', 'embedded', known, /several listeners.* cccccccc-.*, dddddddd-/],
  ['any where there is none', 'berlin', [], /There is none/],
])('when a listener is %s, then that is refused in a sentence', (_case, wanted, there, sentence) => {
  expect(() => findListener(wanted, there)).toThrow(
    expect.objectContaining({ sentence: expect.stringMatching(sentence) as unknown }) as Error,
  );
});

test.each([
  [undefined, undefined, {}],
  ['x', undefined, { listener_id: 'x' }],
  [undefined, 'agents', { listener_config: { cluster_namespace: 'agents' } }],
  ['x', 'agents', { listener_id: 'x', listener_config: { cluster_namespace: 'agents' } }],
])(
  'when the listener is %s and the namespace %s, then a request says so',
  (listener_id, namespace, place) => {
    expect(placeOf({ listener_id, namespace })).toEqual(place);
  },
);
