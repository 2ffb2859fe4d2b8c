import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeConfigs, mergeContexts, setsBoth } from './run-config-rules.ts';

test('the request wins over the thread, the thread over the assistant, one level deep', () => {
  const assistant = {
    tags: ['a'],
    recursion_limit: 10,
    configurable: { model: 'small', voice: { tone: 'dry' } },
    metadata: { owner: 'a' },
  };
  const thread = { configurable: { voice: { pace: 'slow' } }, recursion_limit: null };
  const request = { tags: ['r'], configurable: { model: 'large' }, metadata: { owner: 'r', more: 1 } };
  expect(mergeConfigs(assistant, thread, request)).toEqual({
    tags: ['r'],
    recursion_limit: 10,
    configurable: { model: 'large', voice: { pace: 'slow' } },
    metadata: { owner: 'r', more: 1 },
  });
});

test('what is null or absent changes nothing', () => {
  const config = fc.record({
    tags: fc.option(fc.array(fc.string())),
    recursion_limit: fc.option(fc.integer({ min: 1, max: 100 })),
    configurable: fc.option(fc.dictionary(fc.string(), fc.jsonValue())),
    metadata: fc.option(fc.dictionary(fc.string(), fc.jsonValue())),
  });
  fc.assert(
    fc.property(config, (given) => {
      const merged = mergeConfigs(given);
      const nothing = { tags: null, recursion_limit: null, configurable: null, metadata: null };
      expect(mergeConfigs(nothing, given, undefined, null, nothing)).toEqual(merged);
    }),
  );
});

test.each([
  [{}, undefined, undefined],
  [{ a: 1 }, undefined, { a: 1 }],
  [{ a: 1, b: 1 }, { b: 2 }, { a: 1, b: 2 }],
  [{ a: 1 }, 'text', 'text'],
  [{ a: 1 }, [1], [1]],
])('the context of an assistant, %j, and of a request, %j, are %j', (ofAssistant, ofRequest, merged) => {
  expect(mergeContexts(ofAssistant, ofRequest)).toEqual(merged);
});

test.each([
  [{ a: 1 }, { b: 1 }, true],
  [{}, { b: 1 }, false],
  [{ a: 1 }, {}, false],
  [null, { b: 1 }, false],
  [{ a: 1 }, undefined, false],
])('configurable %j and context %j exclude each other: %j', (configurable, context, excluded) => {
  expect(setsBoth(configurable, context)).toBe(excluded);
});
