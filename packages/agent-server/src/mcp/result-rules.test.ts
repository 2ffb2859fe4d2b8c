import { expect, test } from 'vitest';
import type { RunEnd } from '../runs/run.ts';
import { MAX_TEXT_CHARS, resultOf, shownOf } from './result-rules.ts';

const run = { run_id: 'r', thread_id: 't', assistant_id: 'a', task_id: null, principal: 'p' };
const ended = (end: Partial<RunEnd>) => ({
  run,
  end: { status: 'success' as const, interrupts: [], ...end },
});
const of = (end: Partial<RunEnd>) => resultOf(ended(end), 'null');
const ofValues = (values: unknown) => resultOf({ ...ended({}), values }, JSON.stringify(values ?? null));
const text = (said: string) => [{ type: 'text', text: said }];

test('when an agent has said something, then its last words are the text, beside its output', () => {
  const output = {
    messages: [
      { type: 'human', content: 'Hi' },
      { type: 'ai', content: 'Let me see.' },
      {
        type: 'ai',
        content: [{ type: 'text', text: 'It is ' }, { type: 'image' }, { type: 'text', text: '42.' }],
      },
      { type: 'tool', content: 'no' },
    ],
  };
  expect(ofValues(output)).toEqual({ content: text('It is 42.'), structuredContent: output });
});

test.each([
  [{ city: 'Oslo' }, '{"city":"Oslo"}', true],
  [{ messages: [] }, '{"messages":[]}', true],
  [{ messages: [null, 7] }, '{"messages":[null,7]}', true],
  ['Oslo', '"Oslo"', false],
  [['Oslo'], '["Oslo"]', false],
  [undefined, 'null', false],
])('when the output is %j, then the text is %s', (output, said, structured) => {
  const result = ofValues(output);
  expect(result.content).toEqual(text(said));
  expect(result.structuredContent !== undefined).toBe(structured);
});

test.each([
  [{ n: 1, note: 'x' }, { properties: { n: {}, m: {} } }, { n: 1 }],
  [{ n: 1 }, { properties: { m: {} } }, {}],
  [{ n: 1 }, {}, { n: 1 }],
  [{ n: 1 }, null, { n: 1 }],
  [7, { properties: { n: {} } }, 7],
  [undefined, { properties: { n: {} } }, null],
])('when the state is %j and the schema %j, then it shows %j', (values, schema, shown) => {
  expect(shownOf(values, schema)).toEqual(shown);
});

test.each([
  [{ status: 'error', error: { name: 'Error', message: 'No luck.' } }, 'No luck.'],
  [{ status: 'timeout' }, 'The run failed.'],
  [{ status: 'interrupted', reason: 'Superseded.' }, 'Superseded.'],
  [{ interrupts: [{ id: 'i', value: 'Which city?' }] }, 'The agent asks: Which city?'],
  [{ interrupts: [{ id: 'i', value: { q: 1 } }] }, 'The agent asks: {"q":1}'],
] as [Partial<RunEnd>, string][])(
  'when a run ends with %j, then the result is an error that says so',
  (end, said) => {
    expect(of(end)).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(said) }] });
  },
);

test('when an output is too large, then its last words come cut, or it is said to be too large', () => {
  const output = { messages: [{ type: 'ai', content: 'x'.repeat(MAX_TEXT_CHARS + 5) }] };
  const [content] = resultOf({ ...ended({}), values: output }, undefined).content;
  expect(content).toMatchObject({ text: expect.stringMatching(/… \(\+5 characters\)$/) });
  expect(resultOf({ ...ended({}), values: { rows: [] } }, undefined)).toEqual({
    content: text('The agent’s output is too large for a tool; use its A2A or LangGraph API.'),
  });
});
