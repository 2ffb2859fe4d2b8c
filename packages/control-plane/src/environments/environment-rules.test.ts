import { expect, test } from 'vitest';
import { isReservedVariable } from '@roadstead/contracts/control-plane';
import { checkReferences, composeEnvironment, planEnvironment } from './environment-rules.ts';

const MASK = '********';
const secret = (name: string, value = 'x') => ({ name, value });

test.each([[undefined], [null], [[]]])('%j leaves the environment as it is', (sent) => {
  expect(planEnvironment(['A'], sent)).toBeUndefined();
});

test('what is so anyway may be said, and is not kept', () => {
  const traced = secret('LANGSMITH_TRACING', 'true');
  expect(planEnvironment(['A'], [traced])).toBeUndefined();
  expect(planEnvironment(['A'], [secret('B'), traced])).toMatchObject({ names: ['B'], set: [secret('B')] });
  expect(() => planEnvironment(['A'], [secret('LANGSMITH_TRACING', 'false')])).toThrow('LANGSMITH_TRACING');
});

test('a list replaces the set; the mask keeps a value', () => {
  expect(planEnvironment(['A', 'B'], [secret('C', '3'), secret('A', MASK)])).toEqual({
    names: ['C', 'A'],
    keep: ['A'],
    set: [secret('C', '3')],
  });
});

test.each([
  ['a reserved name', [secret('POSTGRES_URI'), secret('ROADSTEAD_X')], 'POSTGRES_URI, ROADSTEAD_X'],
  ['a name twice', [secret('A'), secret('B'), secret('A')], 'in secrets stand there more than once: A.'],
  ['the mask of nothing', [secret('NEW', MASK)], 'NEW'],
])('%s is refused by name', (_case, sent, sentence) => {
  expect(() => planEnvironment(['A'], sent)).toThrow(sentence);
});

test.each([
  [['LANGSMITH_API_KEY'], 'in secret_references are set by Roadstead only: LANGSMITH_API_KEY.'],
  [['B', 'C', 'B'], 'in secret_references stand there more than once: B.'],
  [['B', 'A'], 'in secret_references are secrets of the deployment, too: A.'],
])('references to %j are refused', (names, sentence) => {
  expect(() =>
    checkReferences(
      names.map((name) => ({ name })),
      ['A'],
    ),
  ).toThrow(sentence);
  expect(() => checkReferences([{ name: 'B' }, { name: 'C' }], ['A'])).not.toThrow();
});

test('no refusal repeats a value', () => {
  for (const sent of [[secret('LOG_JSON', 'canary')], [secret('A', 'canary'), secret('A', 'canary')]])
    expect(() => planEnvironment([], sent)).toThrow(/^(?!.*canary)/);
});

test.each([
  ['LANGSMITH_API_KEY', true],
  ['LANGSMITH_TRACING', true],
  ['LANGCHAIN_API_KEY', true],
  ['DATABASE_URI', true],
  ['ROADSTEAD_ANYTHING', true],
  ['langsmith_api_key', false],
  ['OPENAI_API_KEY', false],
  ['LANGSMITH_RUNS_ENDPOINTS', false],
  ['PATH_PREFIX', false],
])('%s is reserved: %s', (name, reserved) => expect(isReservedVariable(name)).toBe(reserved));

test('the platform’s variables win over what a set from before may hold', () => {
  const variables = composeEnvironment(
    { A: '1', LANGSMITH_PROJECT: 'theirs' },
    { endpoint: 'http://x/api', control_plane: 'http://x', api_key: 'k', project: 'ours', workspace_id: 'w' },
  );
  expect(Object.fromEntries(variables.map(({ name, value }) => [name, value]))).toEqual({
    A: '1',
    LANGSMITH_DISABLE_RUN_COMPRESSION: 'true',
    LANGSMITH_TRACING: 'true',
    LANGSMITH_API_URL: 'http://x',
    LANGSMITH_ENDPOINT: 'http://x/api',
    LANGSMITH_API_KEY: 'k',
    LANGSMITH_PROJECT: 'ours',
    LANGSMITH_WORKSPACE_ID: 'w',
  });
});
