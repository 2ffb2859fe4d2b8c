import { expect, test } from 'vitest';
import { templateOf } from './manifest-rules.ts';
import { filledTemplate } from './template-rules.ts';
import type { TextFormat } from './template.ts';

const fill = (text: string, format: TextFormat, variables: Record<string, unknown>) => {
  const [message] = filledTemplate([{ role: 'user', parts: [{ type: 'text', text, format }] }], variables);
  const [part] = message?.parts ?? [];
  return part?.type === 'text' ? part.text : undefined;
};

const people = { people: [{ name: 'Ada' }, { name: 'Bo' }], none: [], deep: { er: 1 }, html: '<b>' };

test.each<[string, TextFormat, Record<string, unknown>, string]>([
  ['{a} and {{b}}', 'f-string', { a: 'x' }, 'x and {b}'],
  ['{a!r} {b:.2f}', 'f-string', { a: 1, b: { c: 2 } }, '1 {"c":2}'],
  ['{{a}} {b}', 'mustache', { a: 'x' }, 'x {b}'],
  ['{{html}} {{{html}}} {{& html}}', 'mustache', people, '<b> <b> <b>'],
  ['{{#people}}{{name}},{{/people}}', 'mustache', people, 'Ada,Bo,'],
  ['{{#none}}x{{/none}}{{^none}}nobody{{/none}}', 'mustache', people, 'nobody'],
  ['{{deep.er}}{{! said by nobody }}', 'mustache', people, '1'],
  ['{{#people}}{{.}}{{/people}}', 'mustache', { people: ['a', 'b'] }, 'ab'],
  ['{{a}} {b}', 'none', {}, '{{a}} {b}'],
])('when %j is filled as %s, then it says what LangChain would', (text, format, variables, said) => {
  expect(fill(text, format, variables)).toBe(said);
});

test.each<[string, TextFormat, RegExp]>([
  ['{a} {b}', 'f-string', /not given: "a", "b"/],
  ['{{a.b}}', 'mustache', /not given: "a\.b"/],
  ['{ {x}', 'f-string', /single brace/],
  ['{{#a}}x', 'mustache', /does not close/],
  ['{{/a}}', 'mustache', /does not close/],
  ['{{#a}}{{/b}}', 'mustache', /does not close/],
  ['{{toString}}', 'mustache', /not given: "toString"/],
])('when %j is filled as %s, then it is refused in words', (text, format, words) => {
  expect(() => fill(text, format, {})).toThrow(words);
});

test('when a placeholder holds no messages, then it is refused, unless it is optional', () => {
  const template = (is_optional: boolean) => [
    { placeholder: 'history', is_optional },
    { role: 'user', parts: [] } as const,
  ];
  expect(() => filledTemplate(template(false), {})).toThrow('"history"');
  expect(() => filledTemplate(template(true), { history: 7 })).toThrow('must hold messages');
  expect(filledTemplate(template(true), {})).toEqual([{ role: 'user', parts: [] }]);
  const history = [{ type: 'ai', data: { content: 'so' } }];
  expect(filledTemplate(template(true), { history })[0]).toEqual({
    role: 'assistant',
    parts: [{ type: 'text', text: 'so' }],
  });
});

const lc = (name: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', name],
  kwargs,
});

test('when a prompt has images, a form of its answer or one text only, then all of it is read', () => {
  const image = lc('ImagePromptTemplate', { template: { url: '{picture}' } });
  const text = lc('PromptTemplate', { template: '{{what}}', template_format: 'mustache' });
  const { template, response_format } = templateOf(
    lc('StructuredPrompt', {
      messages: [
        lc('HumanMessagePromptTemplate', { prompt: [text, image] }),
        lc('AIMessage', { content: 'said' }),
      ],
      schema_: { title: 'city', type: 'object' },
    }),
  );
  expect(filledTemplate(template, { what: 'Look', picture: 'https://a.test/' })).toEqual([
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'Look' },
        { type: 'image', url: 'https://a.test/' },
      ],
    },
    { role: 'assistant', parts: [{ type: 'text', text: 'said' }] },
  ]);
  expect(response_format?.json_schema).toEqual({ name: 'city', schema: { title: 'city', type: 'object' } });
  expect(templateOf(text).template).toHaveLength(1);
});

test.each([
  [{}, /holds no messages/],
  [lc('ChatPromptTemplate', { messages: [lc('Nothing', {})] }), /not known here/],
  [lc('PromptTemplate', { template: 'x', template_format: 'jinja2' }), /not filled here/],
  [lc('PromptTemplate', {}), /without a text/],
])('when a prompt is %j, then it is refused in words', (manifest, words) => {
  expect(() => templateOf(manifest)).toThrow(words);
});
