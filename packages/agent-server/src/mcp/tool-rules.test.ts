import { expect, test } from 'vitest';
import { inputOf, inputSchemaOf, toolsOf } from './tool-rules.ts';

const graph = {
  graph_id: 'agent',
  description: 'Of the graph.',
  channels: ['messages', 'city'],
  has_messages: true,
};
const assistant = (name: string, more = {}) => ({
  assistant_id: '0190b0f6-0000-7000-8000-0123456789ab',
  graph_id: 'agent',
  name,
  description: null,
  ...more,
});
const names = (...given: string[]) =>
  toolsOf(
    given.map((name) => assistant(name)),
    [graph],
  ).map(({ name }) => name);

test.each([
  ['agent', 'agent'],
  ['Support Agent (new)', 'Support_Agent_new'],
  ['Grüße', 'Gru_e'],
  ['助手', 'agent'],
  ['a'.repeat(80), 'a'.repeat(64)],
  ['', 'agent'],
])('when an assistant is called "%s", then its tool is %s', (name, tool) => {
  expect(names(name)).toEqual([tool]);
});

test('when several assistants have one name, then each tool has a name of its own', () => {
  expect(names('one', 'one', 'two')).toEqual(['one', 'one-456789ab', 'two']);
  const long = 'a'.repeat(64);
  expect(names(long, long)[1]).toHaveLength(64);
});

test('when a tool is described, then its assistant says it, else its graph, else its name', () => {
  const described = (one: object, graphs = [graph]) =>
    toolsOf([assistant('One', one)], graphs)[0]?.description;
  expect(described({ description: 'Of the assistant.' })).toBe('Of the assistant.');
  expect(described({})).toBe('Of the graph.');
  expect(described({}, [])).toBe('Asks the agent "One".');
});

test('when a graph takes an object, then its tool takes the same', () => {
  const object = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  expect(inputSchemaOf(object, graph)).toEqual(object);
  expect(inputSchemaOf({ properties: {} }, graph)).toEqual({ type: 'object', properties: {} });
  expect(inputOf(object, { city: 'Oslo' })).toEqual({ city: 'Oslo' });
  expect(inputOf(object, undefined)).toEqual({});
});

test('when a graph closes its objects, then the listed schema says nothing of further members', () => {
  const closed = (more: object) => ({ type: 'object', additionalProperties: false, ...more });
  const open = (more: object) => ({ type: 'object', ...more });
  const inner = (of: (more: object) => object) => ({
    $defs: { one: of({ properties: { default: of({}) } }) },
    properties: {
      list: { type: 'array', items: of({}) },
      either: { anyOf: [of({}), { type: 'null' }] },
      map: { type: 'object', additionalProperties: of({}) },
    },
  });
  const literal = { default: { additionalProperties: false }, enum: [{ additionalProperties: true }] };
  expect(inputSchemaOf(closed({ ...inner(closed), ...literal }), graph)).toEqual(
    open({ ...inner(open), ...literal }),
  );
});

test('when a graph takes no object, then its tool takes one argument', () => {
  expect(inputSchemaOf({ type: 'string' }, graph)).toEqual({
    type: 'object',
    properties: { input: { type: 'string' } },
    required: ['input'],
  });
  expect(inputOf({ type: 'string' }, { input: 'Oslo' })).toBe('Oslo');
});

test('when a graph does not say what it takes, then its channels do', () => {
  const schema = inputSchemaOf(null, graph);
  expect(schema).toMatchObject({
    type: 'object',
    properties: { messages: { type: 'array' }, city: {} },
  });
  expect(inputSchemaOf(null, undefined)).toEqual({ type: 'object', properties: {} });
  expect(inputOf(null, { city: 'Oslo' })).toEqual({ city: 'Oslo' });
});
