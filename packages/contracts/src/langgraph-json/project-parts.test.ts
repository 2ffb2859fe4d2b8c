import { expect, test } from 'vitest';
import { languageOf, type ProjectGraphs, readLangGraphJson } from './index.ts';
import { partsByLanguage } from './project-parts.ts';

test.each([
  ['./agent.ts:graph', 'javascript'],
  ['./agent.mjs', 'javascript'],
  ['agent.js:graph', 'javascript'],
  ['./src/agent:graph', 'javascript'],
  ['./agent.py:graph', 'python'],
  ['src/agent.py:make_graph', 'python'],
  ['my_agent.graph:graph', 'python'],
  ['my_agent:graph', 'python'],
] as const)('when a module is %s, then it is %s', (module, language) => {
  expect(languageOf(module)).toBe(language);
});

function project(json: object): ProjectGraphs {
  const read = readLangGraphJson(
    JSON.stringify({ graphs: { one: './one.ts:graph' }, ...json }),
    'langgraph.json',
  );
  if (read.kind !== 'config') throw new Error(read.message);
  return read.config;
}

const mixed = (json: object): ProjectGraphs => {
  const { graphs, ...rest } = project(json);
  return { ...rest, graphs: { ...graphs, two: { path: './two.py:graph', description: null } } };
};

test('when a project has one language, then all of it is one part', () => {
  const whole = project({ http: { app: './app.ts:app' }, auth: { path: './auth.ts:auth' } });
  expect(partsByLanguage(whole)).toEqual({ javascript: whole });
});

test('when graphs are of two languages, then each part has its own graphs alone', () => {
  const parts = partsByLanguage(mixed({ http: { app: './app.ts:app' }, auth: { path: './auth.ts:auth' } }));
  expect(Object.keys(parts)).toEqual(['javascript', 'python']);
  expect(Object.keys(parts.javascript?.graphs ?? {})).toEqual(['one']);
  expect(Object.keys(parts.python?.graphs ?? {})).toEqual(['two']);
  expect([parts.javascript?.http.app, parts.python?.http.app]).toEqual(['./app.ts:app', null]);
  expect([parts.javascript?.auth?.path, parts.python?.auth]).toEqual(['./auth.ts:auth', null]);
});

test('when an embedder is of a provider, then the language of the first graph has it', () => {
  const parts = partsByLanguage(mixed({ store: { index: { dims: 3, embed: 'openai:small' } } }));
  expect(parts.javascript?.store?.index?.embed).toBe('openai:small');
  expect(parts.python?.store).toMatchObject({ index: null });
});
