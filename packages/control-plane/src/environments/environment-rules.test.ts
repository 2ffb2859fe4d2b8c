import { expect, test } from 'vitest';
import { isReservedVariable } from '@roadstead/contracts/control-plane';
import { checkReferences, composeEnvironment, planEnvironment } from './environment-rules.ts';

const MASK = '********';
const secret = (name: string, value = 'x') => ({ name, value });

test.each([[undefined], [null], [[]]])(
  'when the secrets sent are %j, then the environment stays as it is',
  (sent) => {
    expect(planEnvironment(['A'], sent)).toBeUndefined();
  },
);

test('when a secret says what is so anyway, then it is taken, and not kept', () => {
  const traced = secret('LANGSMITH_TRACING', 'true');
  expect(planEnvironment(['A'], [traced])).toBeUndefined();
  expect(planEnvironment(['A'], [secret('B'), traced])).toMatchObject({ names: ['B'], set: [secret('B')] });
  expect(() => planEnvironment(['A'], [secret('LANGSMITH_TRACING', 'false')])).toThrow('LANGSMITH_TRACING');
});

test('when a list of secrets is sent, then it replaces the set, and the mask keeps a value', () => {
  expect(planEnvironment(['A', 'B'], [secret('C', '3'), secret('A', MASK)])).toEqual({
    names: ['C', 'A'],
    keep: ['A'],
    set: [secret('C', '3')],
  });
});

test.each([
  ['a reserved name', [secret('POSTGRES_URI'), secret('ROADSTEAD_X')], 'POSTGRES_URI, ROADSTEAD_X'],
  ['a name twice', [secret('A'), secret('B'), secret('A')], 'in secrets are given more than once: A.'],
  ['the mask of nothing', [secret('NEW', MASK)], 'NEW'],
])('when secrets have %s, then they are refused by name', (_case, sent, sentence) => {
  expect(() => planEnvironment(['A'], sent)).toThrow(sentence);
});

test.each([
  [['LANGSMITH_API_KEY'], 'in secret_references are set by Roadstead only: LANGSMITH_API_KEY.'],
  [['B', 'C', 'B'], 'in secret_references are given more than once: B.'],
  [['B', 'A'], 'in secret_references are secrets of the deployment, too: A.'],
])('when references are to %j, then they are refused', (names, sentence) => {
  expect(() =>
    checkReferences(
      names.map((name) => ({ name })),
      ['A'],
    ),
  ).toThrow(sentence);
  expect(() => checkReferences([{ name: 'B' }, { name: 'C' }], ['A'])).not.toThrow();
});

test('when secrets are refused, then no value is repeated', () => {
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
])('when a variable is named %s, then it is reserved: %s', (name, reserved) =>
  expect(isReservedVariable(name)).toBe(reserved),
);

test('when a set from before holds the platform’s variables, then the platform’s own values win', () => {
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
