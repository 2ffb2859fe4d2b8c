import { expect, it } from 'vitest';
import { namesIn, ownMetadata, splitsOf } from './example-rules.ts';

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
