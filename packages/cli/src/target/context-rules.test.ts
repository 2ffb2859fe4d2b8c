import { expect, test } from 'vitest';
import { chooseTarget, contextNameOf, withoutContext } from './context-rules.ts';
import type { Contexts } from './contexts.ts';

const contexts: Contexts = {
  version: 1,
  current: 'work',
  contexts: {
    work: { url: 'https://work.example', api_key: 'work-key' },
    home: { url: 'https://home.example', api_key: 'home-key' },
  },
};
const none: Contexts = { version: 1, current: null, contexts: {} };
const nothing = {
  options: { url: undefined, api_key: undefined, context: undefined },
  environment: { url: undefined, port: undefined, api_key: undefined, data_folder: undefined },
  contexts: none,
};
const choose = ({
  options = {},
  environment = {},
  known = contexts,
}: {
  options?: object;
  environment?: object;
  known?: Contexts;
}) =>
  chooseTarget({
    options: { ...nothing.options, ...options },
    environment: { ...nothing.environment, ...environment },
    contexts: known,
  });

const local = 'http://127.0.0.1:4100';
const work = 'https://work.example';
const home = 'https://home.example';

test.each([
  ['this machine without a context', { known: none }, local, undefined],
  ['the context in use', {}, work, 'work-key'],
  ['a context that is named', { options: { context: 'home' } }, home, 'home-key'],
  ['with another key', { options: { context: 'home', api_key: 'k' } }, home, 'k'],
  [
    'and not with the environment’s',
    { options: { context: 'home' }, environment: { api_key: 'k', url: work } },
    home,
    'home-key',
  ],
  [
    'an option before the environment',
    { options: { url: 'http://a/' }, environment: { url: 'http://b' } },
    'http://a',
    undefined,
  ],
  ['the environment before the context', { environment: { url: 'http://b' } }, 'http://b', undefined],
  ['a context’s key at its own address', { options: { url: `${home}/` } }, home, 'home-key'],
  ['the environment’s key before it', { options: { url: home }, environment: { api_key: 'k' } }, home, 'k'],
  ['the environment’s key for the context in use', { environment: { api_key: 'k' } }, work, 'k'],
  ['this machine by its port', { environment: { port: 5000 } }, 'http://127.0.0.1:5000', undefined],
  ['this machine by its data folder', { environment: { data_folder: '/data' } }, local, undefined],
])('when a command chooses where to call, then it takes %s', (_what, said, url, api_key) => {
  const choice = choose(said);
  expect([choice.url, choice.api_key]).toEqual([url, api_key]);
});

test.each([
  [{ options: { url: work, context: 'work' } }, /--url and --context both/],
  [{ options: { context: 'toString' } }, /no context toString; there are: work, home\./],
  [{ options: { context: 'x' }, known: none }, /roadstead login URL/],
  [{ options: { url: 'ftp://x' } }, /^--url must be an address/],
  [{ environment: { url: 'here' } }, /^ROADSTEAD_URL must be an address/],
])('when the settings are %j, then they are refused in words', (said, sentence) => {
  expect(() => choose(said)).toThrow(sentence);
});

test('when a context is forgotten, then it is no longer in use', () => {
  expect(withoutContext(contexts, 'work')).toEqual({
    version: 1,
    current: null,
    contexts: { home: contexts.contexts['home'] },
  });
  expect(withoutContext(contexts, 'home').current).toBe('work');
  expect(() => withoutContext(contexts, 'x')).toThrow(/no context x/);
});

test('when a context has no name yet, then it is named after its host', () => {
  expect(contextNameOf('https://work.example:8443/there')).toBe('work.example:8443');
});
