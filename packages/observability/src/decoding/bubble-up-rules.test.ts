import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bubbleUpOf, isBubbleUp } from './bubble-up-rules.ts';

const asked = '[\n  {\n    "id": "f3e6",\n    "value": "Sure?"\n  }\n]';
const stack = '\n    at interrupt (file:///app/node_modules/@langchain/langgraph/dist/interrupt.js:85:8)';
const traceback = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\n';

test.each([
  ['Python’s tracer', `GraphInterrupt((Interrupt(value='Sure?'),))${traceback}`],
  ['Python’s tracer, of a node', `NodeInterrupt([Interrupt(value='dyn')])`],
  ['Python’s tracer, of a hand-over', `ParentCommand(Command(goto='z'))`],
  ['JavaScript’s tracer', `${asked}\n\nGraphInterrupt: ${asked}${stack}`],
  ['JavaScript’s tracer, of a node', `${asked}\n\nNodeInterrupt: ${asked}${stack}`],
  ['JavaScript’s tracer, of a hand-over', `\n\nParentCommand${stack}`],
  ['JavaScript’s tracer, of a drain', `Graph drained: x\n\nGraphDrained: Graph drained: x${stack}`],
  ['String(error)', `GraphInterrupt: ${asked}`],
  ['String(error) without a message', 'ParentCommand'],
  ['a traceback', `${traceback}langgraph.errors.GraphInterrupt: (Interrupt(value='Sure?'),)`],
  [
    'a traceback of two',
    `${traceback}KeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n\n${traceback}langgraph.types.ParentCommand: x`,
  ],
])('when %s writes what is thrown to leave a node, then that is no failure', (_by, error) => {
  const text = bubbleUpOf(error);
  expect(text).toMatch(/^(?:GraphInterrupt|NodeInterrupt|ParentCommand|GraphDrained)/);
  expect(isBubbleUp(text?.slice(0, 300) ?? '')).toBe(true);
});

test.each([
  'no luck',
  '',
  'GraphInterrupted: too late',
  'GraphRecursionError(25)',
  'Error: it said GraphInterrupt(1)',
  `no luck\n\nGraphInterrupt: other${stack}`,
  `no luck\n\nTypeError: no luck${stack}`,
  `${traceback}ValueError: langgraph.errors.GraphInterrupt: x`,
  `${traceback}mine.GraphInterrupt: x`,
  `GraphInterrupter${stack}`,
  { name: 'GraphInterrupt' },
  null,
])('when an error is %j, then it is a failure', (error) => {
  expect(bubbleUpOf(error)).toBeUndefined();
});

test('when a question holds any text, then it is found', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (value) => {
      const message = JSON.stringify([{ value }], null, 2);
      expect(bubbleUpOf(`${message}\n\nGraphInterrupt: ${message}${stack}`)).toMatch(/^GraphInterrupt: \[/);
    }),
  );
});

test('when an error has millions of characters, then it is read within 2 seconds', { timeout: 2000 }, () => {
  const long = '\n\nGraphInterrupt'.repeat(500_000);
  expect(bubbleUpOf(`x${long}`)).toBeUndefined();
  expect(bubbleUpOf(traceback + ' \n'.repeat(2_000_000))).toBeUndefined();
});
