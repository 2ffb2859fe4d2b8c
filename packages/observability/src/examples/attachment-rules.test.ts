import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changedAttachments } from './attachment-rules.ts';
import type { ExampleAttachment } from './example-row.ts';

const file = (name: string, digest = `of ${name}`): ExampleAttachment => ({
  name,
  content_type: 'x/y',
  digest,
  size: 1,
});
const present = [file('a'), file('b')];
type Operations = Parameters<typeof changedAttachments>[1]['operations'];
const after = (operations: Operations, sent: readonly ExampleAttachment[] = []) =>
  changedAttachments(present, { operations, sent })
    .map(({ name, digest }) => `${name}: ${digest}`)
    .toSorted();

test.each<[string, Operations, ExampleAttachment[], string[]]>([
  ['all stay where nothing is said', undefined, [], ['a: of a', 'b: of b']],
  ['new ones replace all', undefined, [file('c')], ['c: of c']],
  ['those retained stay', { retain: ['a'] }, [file('c')], ['a: of a', 'c: of c']],
  ['those renamed stay under their new name', { rename: { a: 'z' } }, [], ['z: of a']],
  ['names can be exchanged', { rename: { a: 'b', b: 'a' } }, [], ['a: of b', 'b: of a']],
  ['a new one wins over a retained one', { retain: ['a'] }, [file('a', 'new')], ['a: new']],
  ['a new one wins over a renamed one', { rename: { a: 'z' } }, [file('z', 'new')], ['z: new']],
  ['none stay where none is named', {}, [], []],
])('when an example’s attachments are changed, then %s', (_what, operations, sent, wanted) => {
  expect(after(operations, sent)).toEqual(wanted);
});

test.each<[string, Operations]>([
  ['a file that is not there', { retain: ['c'] }],
  ['a file that is renamed and retained', { retain: ['a'], rename: { a: 'c' } }],
  ['a name that is retained', { retain: ['b'], rename: { a: 'b' } }],
  ['one name for two', { rename: { a: 'c', b: 'c' } }],
])('when a change names %s, then it is refused', (_what, operations) => {
  expect(() => after(operations)).toThrow(expect.objectContaining({ kind: 'invalid' }));
});

test('when attachments are changed in any way, then no name is there twice, and no file is new', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const operations = fc.record(
    { retain: fc.array(name), rename: fc.dictionary(name, name) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(operations, fc.uniqueArray(name), (given, names) => {
      let result: ExampleAttachment[];
      try {
        result = changedAttachments(present, {
          operations: given,
          sent: names.map((one) => file(one, 'new')),
        });
      } catch {
        return;
      }
      expect(new Set(result.map((one) => one.name)).size).toBe(result.length);
      for (const { digest } of result) expect(['of a', 'of b', 'new']).toContain(digest);
    }),
  );
});
