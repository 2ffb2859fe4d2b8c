import { expect, test } from 'vitest';
import { isMadeForOriginal, readBakedConfig } from './baked-config.ts';

const read = (environment: Readonly<Record<string, string>>, labels = {}) =>
  readBakedConfig({ environment, labels });

test('when an image names no graphs, then it has no configuration', () => {
  expect(read({ PATH: '/bin', LANGGRAPH_HTTP: '{}' })).toBeUndefined();
});

test('when an image was built for the original, then its variables are its configuration', () => {
  const read_config = read({
    LANGSERVE_GRAPHS: '{"agent": "/deps/outer-agent/src/agent.py:graph", "two": {"path": "pkg.two:make"}}',
    LANGGRAPH_STORE: '{"index": {"dims": 3, "embed": "/deps/agent/embed.py:embed"}}',
    LANGGRAPH_AUTH: '{"path": "/deps/agent/auth.py:auth"}',
    LANGGRAPH_HTTP: '{"app": "/deps/agent/web.py:app", "disable_mcp": true}',
    LANGGRAPH_CHECKPOINTER: '{"ttl": {"default_ttl": 60}}',
    LANGGRAPH_UI: '',
  });
  expect(read_config).toMatchObject({
    kind: 'config',
    config: {
      config_path: 'langgraph.json',
      graphs: {
        agent: { path: '/deps/outer-agent/src/agent.py:graph' },
        two: { path: 'pkg.two:make' },
      },
      store: { index: { dims: 3, embed: '/deps/agent/embed.py:embed' } },
      auth: { path: '/deps/agent/auth.py:auth' },
      http: { app: '/deps/agent/web.py:app', disable_mcp: true },
      checkpointer: { ttl: { default_ttl: 60 } },
    },
  });
});

test('when an image names its graphs by its label, then these are read; a variable wins', () => {
  const label = { 'dev.roadstead.graphs': '{"one": "./one.ts:graph"}' };
  expect(read({}, label)).toMatchObject({ config: { graphs: { one: { path: './one.ts:graph' } } } });
  const variable = { LANGSERVE_GRAPHS: '{"two": "./two.ts:graph"}' };
  expect(Object.keys((read(variable, label) as { config: { graphs: object } }).config.graphs)).toEqual([
    'two',
  ]);
});

test.each([
  [{ LANGSERVE_GRAPHS: '{"one": "./one.ts:graph"}' }, true],
  [{ LANGGRAPH_HTTP: '{}' }, false],
])('when an image has %j, then it was made as for the original: %s', (environment, is_made) => {
  expect(isMadeForOriginal(environment)).toBe(is_made);
});

test.each([
  [{ LANGSERVE_GRAPHS: '{' }, 'The image’s LANGSERVE_GRAPHS is not JSON.'],
  [{ LANGSERVE_GRAPHS: '{}' }, 'langgraph.json names no graphs.'],
  [{ LANGSERVE_GRAPHS: '{"a": "./a.py:g"}', LANGGRAPH_ENCRYPTION: '{"path": "./e.py:e"}' }, 'encryption'],
  [{ LANGSERVE_GRAPHS: '{"a": "./a.py:g"}', LANGGRAPH_HTTP: '{"disable_mcp": 1}' }, 'http.disable_mcp'],
])('when an image says %j, then it is refused in words', (environment, sentence) => {
  const refused = read(environment);
  expect(refused?.kind === 'refused' && refused.message).toContain(sentence);
});
