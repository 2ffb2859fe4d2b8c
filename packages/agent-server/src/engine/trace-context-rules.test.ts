import { expect, test } from 'vitest';
import { traceparentOf } from './trace-context-rules.ts';

const [trace, span] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

test.each([
  [`00-${trace}-${span}-01`, true],
  [`cc-${trace}-${span}-00`, true],
  [`ff-${trace}-${span}-01`, false],
  [`00-${'0'.repeat(32)}-${span}-01`, false],
  [`00-${trace}-${'0'.repeat(16)}-01`, false],
  [`00-${trace.toUpperCase()}-${span}-01`, false],
  [`00-${trace}-${span}-01-more`, false],
  [`00-${trace}-${span}`, false],
  ['', false],
  [null, false],
  [undefined, false],
])('when the traceparent is %s, then it continues a trace: %s', (text, expected) => {
  expect(traceparentOf(text)).toBe(expected ? text : undefined);
});
