import { expect, test } from 'vitest';
import { templateOf } from './template-rules.ts';

/** An object in LangChain's serialized form. */
const written = (name: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'prompts', 'chat', name],
  kwargs,
});
const text = (template: string) => written('PromptTemplate', { template, input_variables: [] });
const said = (name: string, template: string, more: object = {}) =>
  written(name, { prompt: text(template), ...more });
const chat = (messages: readonly unknown[], more: object = {}) =>
  written('ChatPromptTemplate', { messages, input_variables: ['q'], partial_variables: {}, ...more });

test.each<[string, unknown, object | undefined]>([
  [
    'each kind of message',
    chat([
      said('SystemMessagePromptTemplate', 'Be kind.'),
      said('HumanMessagePromptTemplate', '{q}'),
      said('AIMessagePromptTemplate', 'Yes?'),
      said('ChatMessagePromptTemplate', 'Hm', { role: 'critic' }),
      written('MessagesPlaceholder', { variable_name: 'history', optional: true }),
      written('HumanMessage', { content: 'Hello', additional_kwargs: {} }),
      written('AIMessage', { content: '', tool_calls: [{ name: 'look', args: {} }] }),
      written('ToolMessage', { content: '42', tool_call_id: '1' }),
    ]),
    {
      type: 'ChatPromptTemplate',
      input_variables: ['q'],
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'human', content: '{q}' },
        { role: 'ai', content: 'Yes?' },
        { role: 'critic', content: 'Hm' },
        { role: 'placeholder', variable_name: 'history', optional: true },
        { role: 'human', content: 'Hello' },
        { role: 'ai', content: '', tool_calls: [{ name: 'look', args: {} }] },
        { role: 'tool', content: '42', tool_call_id: '1' },
      ],
    },
  ],
  [
    'a message of several parts',
    chat([
      written('HumanMessagePromptTemplate', {
        prompt: [text('Look:'), written('ImagePromptTemplate', { template: { url: '{image}' } })],
      }),
    ]),
    {
      type: 'ChatPromptTemplate',
      input_variables: ['q'],
      messages: [{ role: 'human', content: ['Look:', { url: '{image}' }] }],
    },
  ],
  [
    'a prompt with a schema of its answer',
    {
      ...chat([said('SystemMessagePromptTemplate', 'x')], { schema_: { type: 'object' } }),
      id: ['langchain_core', 'prompts', 'structured', 'StructuredPrompt'],
    },
    {
      type: 'StructuredPrompt',
      input_variables: ['q'],
      schema_: { type: 'object' },
      messages: [{ role: 'system', content: 'x' }],
    },
  ],
  [
    'a prompt before its model',
    written('RunnableSequence', { first: chat([said('HumanMessagePromptTemplate', '{q}')]), last: {} }),
    { type: 'ChatPromptTemplate', input_variables: ['q'], messages: [{ role: 'human', content: '{q}' }] },
  ],
  [
    'a text',
    written('PromptTemplate', {
      template: 'Sum up {q}',
      input_variables: ['q'],
      template_format: 'f-string',
    }),
    { type: 'PromptTemplate', template: 'Sum up {q}', input_variables: ['q'], template_format: 'f-string' },
  ],
  ['a message that is not understood', chat([written('Riddle', {})]), undefined],
  ['a role that is none', chat([said('ChatMessagePromptTemplate', 'x', { role: 7 })]), undefined],
  ['another object', written('Agent', { tools: [] }), undefined],
  ['no object', 'text', undefined],
  ['null', null, undefined],
  ['an object without a class', { kwargs: {} }, undefined],
  ['messages that are none', chat([null]), undefined],
])('when a prompt is %s, then its template is read, if it has one', (_what, manifest, template) => {
  expect(templateOf(manifest)).toEqual(template);
});
