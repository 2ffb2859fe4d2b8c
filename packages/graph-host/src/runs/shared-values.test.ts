import { SharedParts } from '@roadstead/contracts/host-peer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SharedValues } from './shared-values.ts';

const MAX = 3;

test('when a value stays the same, then it keeps its number as long as the engine knows it', () => {
  const shared = new SharedValues(MAX);
  const metadata: Record<string, unknown> = { node: 'a', path: ['x', 1], step: 1, none: undefined };
  expect(shared.numberOf(metadata)).toEqual({ number: 1, is_new: true });
  expect(shared.numberOf(metadata)).toEqual({ number: 1, is_new: false });
  (metadata['path'] as unknown[]).push('y');
  expect(shared.numberOf(metadata)).toEqual({ number: 2, is_new: true });
  metadata['step'] = 2;
  expect(shared.numberOf(metadata)).toEqual({ number: 3, is_new: true });
  metadata['more'] = null;
  expect(shared.numberOf(metadata)).toEqual({ number: 4, is_new: true });
  delete metadata['node'];
  expect(shared.numberOf(metadata)).toEqual({ number: 5, is_new: true });
  const others = [{ a: 1 }, { a: 1 }, { a: 1 }];
  expect(others.map((one) => shared.numberOf(one)?.number)).toEqual([6, 7, 8]);
  expect(shared.numberOf(metadata)).toEqual({ number: 9, is_new: true });
});

test.each([
  ['a list', [1]],
  ['nothing', undefined],
  ['a value of a class', new Date()],
  ['what holds an object with another', { inner: { more: {} } }],
  ['what holds a value of a class', { inner: new Date() }],
  ['what holds a value that is told otherwise', { inner: { toJSON: () => 1 } }],
  ['what holds a list of objects', { list: [{}] }],
  ['what holds a long list', { list: Array.from({ length: 17 }, () => 1) }],
])('when the value is %s, then it is not shared', (_, value) => {
  expect(new SharedValues(MAX).numberOf(value)).toBeUndefined();
});

const inner = fc.dictionary(fc.constantFrom('x', 'y'), fc.string(), { noNullPrototype: true });
const field = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.constant(null),
  fc.array(fc.string(), { maxLength: 3 }),
  inner,
);
const change = fc.record({ at: fc.nat(4), name: fc.constantFrom('a', 'b', 'c'), value: field });

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

test('when values change in between, then the engine reads each event as it was sent', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const shared = new SharedValues(MAX);
      const parts = new SharedParts(MAX);
      const values = Array.from({ length: 5 }, (): Record<string, unknown> => ({}));
      for (const { at, name, value } of changes) {
        const one = values[at] ?? {};
        const before = one[name];
        // In place where both are objects.
        if (isObject(before) && isObject(value)) Object.assign(before, value);
        else one[name] = structuredClone(value);
        const found = shared.numberOf(one);
        const told = {
          kind: 'stream' as const,
          event: 'messages',
          ns: [],
          ...(found?.is_new === true ? { shares: found.number } : { shared: found?.number ?? 0 }),
          data: ['piece', ...(found?.is_new === true ? [structuredClone(one)] : [])],
        };
        expect(parts.whole(told)).toEqual({
          kind: 'stream',
          event: 'messages',
          ns: [],
          data: ['piece', one],
        });
      }
    }),
  );
});

test('when an event names a part that was never sent, then it is refused', () => {
  const event = { kind: 'stream', event: 'messages', ns: [], data: ['piece'] } as const;
  expect(() => new SharedParts().whole({ ...event, shared: 1 })).toThrow('was not sent');
});
