import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathText, readPath, valueAt } from './value-path-rules.ts';

test.each<[string, readonly (string | number)[]]>([
  ['outputs', ['outputs']],
  ['outputs.messages[3].content', ['outputs', 'messages', 3, 'content']],
  ['outputs.messages.3.content', ['outputs', 'messages', '3', 'content']],
  ['outputs.messages[-1]', ['outputs', 'messages', -1]],
  ['extra["a.b"].c', ['extra', 'a.b', 'c']],
  ['extra["a\\"]"][0]', ['extra', 'a"]', 0]],
  ['inputs.Was ist los', ['inputs', 'Was ist los']],
])('when %s is read as a path, then its steps are found', (text, path) => {
  expect(readPath(text)).toEqual(path);
});

test.each(['', '.a', 'a..b', 'a.', 'a[', 'a[x]', 'a]', 'a["b]', '"a"', 'a["\\x"]'])(
  'when %j is given, then it is no path',
  (text) => {
    expect(readPath(text)).toBeUndefined();
  },
);

test('when a path is written, then it is read as it was', () => {
  const step = fc.oneof(fc.string({ unit: 'binary' }), fc.integer({ min: 0, max: 99_999 }));
  fc.assert(
    fc.property(fc.array(step, { minLength: 1 }), (path) => {
      expect(readPath(pathText(path))).toEqual(path);
    }),
  );
});

const run = {
  outputs: { messages: [{ content: 'a' }, { content: 'b' }], '0': 'zero', 'x.y': 1 },
  error: null,
};

test.each<[string, unknown]>([
  ['outputs.messages[1].content', 'b'],
  ['outputs.messages.1.content', 'b'],
  ['outputs.messages[-1].content', 'b'],
  ['outputs[0]', 'zero'],
  ['outputs["x.y"]', 1],
  ['error', null],
])('when %s is there, then its value is found', (path, value) => {
  expect(valueAt(run, readPath(path) ?? [])).toEqual({ found: true, value });
});

test.each<[string, string, unknown]>([
  ['outputs.messages[2].content', 'outputs.messages', run.outputs.messages],
  ['outputs.toString', 'outputs', run.outputs],
  ['outputs.messages.length', 'outputs.messages', run.outputs.messages],
  ['error.text', 'error', null],
  ['nothing', '', run],
])('when %s is not there, then the answer says how far the path goes', (path, until, value) => {
  const found = valueAt(run, readPath(path) ?? []);
  expect(found).toMatchObject({ found: false, value });
  expect(pathText('until' in found ? found.until : [])).toBe(until);
});
