import { expect, test } from 'vitest';
import { isBareParticiple, isHeadless, isRiddle } from './word-rules.ts';

test.each([
  ['Asked', true],
  ['Shown', true],
  ['Telling', true],
  ['Held', true],
  ['AskedRuns', false],
  ['Setting', false],
  ['Run', false],
  ['Feedback', false],
])('when a type is named %s, then it is a participle alone: %s', (name, is) => {
  expect(isBareParticiple(name)).toBe(is);
});

test.each([
  ['* Of a grant the refresh token ends both. ', true],
  [' By itself: looking costs the loops. ', true],
  ['*\n * Whose file it is. ', true],
  ['* Offers a room. ', false],
  ['* Bytes of the body. ', false],
])('when a comment reads “%s”, then it lacks a subject: %s', (comment, is) => {
  expect(isHeadless(comment)).toBe(is);
});

test.each([
  ['when a run ends, then its thread is idle', false],
  ['a run ends', true],
  [`when ${'a'.repeat(90)}, then it is too long`, true],
])('when a title reads “%s”, then it is a riddle: %s', (title, is) => {
  expect(isRiddle(title)).toBe(is);
});
