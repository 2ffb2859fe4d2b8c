import { expect, test } from 'vitest';
import { cutPaths } from './cut-path-rules.ts';
import { shown } from './shown-item-rules.ts';
import { written } from './text-cut-rules.ts';

const run = {
  id: '018f0000-0000-7000-8000-000000000001',
  inputs: { messages: [{ content: 'x'.repeat(90) }, { content: 'x'.repeat(50) }] },
  outputs: { 'a.b': 'x'.repeat(70), short: 'x' },
};
const cut = written(shown(run, 20).value);

test.each([
  [{ most: 9, chars: 999 }, ['inputs.messages[0].content', 'outputs["a.b"]', 'inputs.messages[1].content']],
  [{ most: 1, chars: 999 }, ['inputs.messages[0].content']],
  [{ most: 9, chars: 40 }, ['inputs.messages[0].content']],
])('when texts are cut, then those that lack most are named, as far as there is room: %j', (room, paths) => {
  expect(cutPaths(run, cut, room)).toEqual(paths);
});

test('when all is shown, then nothing is named', () => {
  expect(cutPaths(run, written(shown(run, 0).value), { most: 9, chars: 999 })).toEqual([]);
});

test('when a value is nested too deeply to be shown, then it is named', () => {
  const deep = Array.from({ length: 300 }).reduce<unknown>((inner) => ({ a: inner }), 'x');
  expect(cutPaths({ deep }, { deep: { a: '(nested too deeply)' } }, { most: 9, chars: 999 })).toEqual([
    'deep.a',
  ]);
});
