import { expect, it } from 'vitest';
import { differs, leavesExample, namesIn, ownMetadata, splitsOf } from './example-rules.ts';

it.each([
  [null, [], null],
  [{ dataset_split: ['test', 'base'] }, ['test', 'base'], null],
  [{ dataset_split: 'test', topic: 'a' }, ['test'], { topic: 'a' }],
  [{ topic: 'a' }, [], { topic: 'a' }],
])('when the metadata is %j, then splits %j and the rest %j are told apart', (metadata, splits, own) => {
  expect(splitsOf({ metadata })).toEqual(splits);
  expect(ownMetadata({ metadata })).toEqual(own);
});

it.each([
  ['', []],
  ['test, base ,test,', ['test', 'base']],
])('when names are written as %j, then they are %j', (text, names) => {
  expect(namesIn(text)).toEqual(names);
});

it.each([
  [{}, false],
  [{ search: { example: 'e', q: 'words' } }, false],
  [{ search: {} }, true],
  [{ search: { example: 'other' } }, true],
  [{ search: { example: 'e', version: 'v' } }, true],
  [{ pathname: '/datasets' }, true],
])('when one goes to %j, then that the example is left is %s', (change, leaves) => {
  const current = { pathname: '/datasets/d', search: { example: 'e' } };
  expect(leavesExample(current, { ...current, ...change })).toBe(leaves);
});

it('when a text is another one, then what was written differs', () => {
  expect(differs({ inputs: '{}', splits: '' }, { inputs: '{}', splits: '' })).toBe(false);
  expect(differs({ inputs: '{}', splits: 'a' }, { inputs: '{}', splits: '' })).toBe(true);
});
