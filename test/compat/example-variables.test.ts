import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { FALSE_KEY, lineOf, variablesOf } from './example-variables-rules.ts';

const given = (...examples: string[]) => Object.fromEntries(variablesOf(examples));

describe('the variables of a repository that is tried', () => {
  test('when there is no example, then keys of common providers are given', () => {
    expect(given()).toMatchObject({ OPENAI_API_KEY: FALSE_KEY, TAVILY_API_KEY: FALSE_KEY });
  });

  test.each([
    ['a key has a value', 'EXA_API_KEY=sk-xxx', { EXA_API_KEY: FALSE_KEY }],
    ['a key is empty', 'EXA_API_KEY=', { EXA_API_KEY: FALSE_KEY }],
    ['a key is merely named', 'TWILIO_AUTH_TOKEN\nTWILIO_ACCOUNT_SID', { TWILIO_ACCOUNT_SID: FALSE_KEY }],
    ['an address is one', 'API_URL=http://localhost:3000', { API_URL: 'http://localhost:3000' }],
    ['an address is none', 'API_URL=your-url', { API_URL: 'https://placeholder.invalid' }],
    ['a setting has a value', "export SEARCH='tavily' # or none", { SEARCH: 'tavily' }],
    ['a line is a comment', '# MAP={"a": "b"}', { MAP: '{"a": "b"}' }],
    ['a comment comes before a line', '# MODEL=one\nMODEL=two', { MODEL: 'two' }],
    ['a comment follows a line', 'MODEL=two\n#MODEL=one', { MODEL: 'two' }],
    ['two lines set one variable', 'MODEL=one\nMODEL=two', { MODEL: 'one' }],
  ])('when %s, then it is given so', (_, example, expected) => {
    expect(given(example)).toMatchObject(expected);
  });

  test.each(['MODE=', 'LANGSMITH_API_KEY=x', 'DATABASE_URL=postgres://x', '# Sets a mode', 'lower=x'])(
    'when a line is “%s”, then it gives nothing',
    (example) => {
      expect(given(example)).toEqual(given());
    },
  );

  test.each(['plain', "it's", '{"a": "b"} # c', ''])('when “%s” is written, then it is read so', (value) => {
    expect(parseEnv(lineOf('NAME', value))).toEqual({ NAME: value });
  });
});
