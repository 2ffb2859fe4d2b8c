import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressOf, linkTo, readAddress, templates } from './address-rules.ts';

test('when names hold anything, then an address reads back as what it was made of', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 }).filter((one) => one.isWellFormed());
  fc.assert(
    fc.property(text, text, fc.integer({ min: 2, max: 9 }), (project, thread_id, page) => {
      const uri = addressOf('thread', { project, thread_id });
      expect(readAddress(templates.thread, uri)).toEqual({ values: { project, thread_id }, page: 1 });
      expect(readAddress(templates.thread, `${uri}?page=${page}`)?.page).toBe(page);
      // Clients fill addresses into JSON, headers and lines of text.
      expect(uri).toMatch(/^roadstead:\/\/[\w%.!~*'()/-]+$/);
    }),
  );
});

describe('an address is read as', () => {
  test.each<[string, string, string, object | undefined]>([
    ['a run', templates.run, 'roadstead://runs/1', { values: { run_id: '1' }, page: 1 }],
    ['a page of it', templates.run, 'roadstead://runs/1?page=3', { values: { run_id: '1' }, page: 3 }],
    ['no page', templates.run, 'roadstead://runs/1?page=0', undefined],
    ['no page either', templates.run, 'roadstead://runs/1?page=x', undefined],
    ['another thing', templates.run, 'roadstead://datasets/1', undefined],
    [
      'a name with a slash that was not encoded',
      templates.prompt,
      'roadstead://prompts/me/greet',
      { values: { prompt: 'me/greet' }, page: 1 },
    ],
    [
      'broken encoding, as it stands',
      templates.dataset,
      'roadstead://datasets/100%',
      { values: { dataset: '100%' }, page: 1 },
    ],
    ['nothing, without a name', templates.dataset, 'roadstead://datasets/', undefined],
  ])('when an address is read, then it leads to what it names: %s', (_what, template, uri, expected) => {
    expect(readAddress(template, uri)).toEqual(expected);
  });
});

test('when a link is made, then it names what it leads to', () => {
  expect(linkTo('thread', { project: 'a b', thread_id: '7' })).toEqual({
    uri: 'roadstead://projects/a%20b/threads/7',
    name: 'thread 7',
  });
});
