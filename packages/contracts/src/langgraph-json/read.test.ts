import { describe, expect, test } from 'vitest';
import { readLangGraphJson } from './read.ts';

function read(config: unknown, path = 'langgraph.json') {
  const result = readLangGraphJson(JSON.stringify(config), path);
  if (result.kind === 'refused') throw new Error(result.message);
  return result.config;
}

test('graphs come with their paths and descriptions, and what http switches off', () => {
  const config = read({
    graphs: { one: './one.js:graph', two: { path: './two.ts', description: 'The second.' } },
    http: { disable_a2a: true },
  });
  expect(config).toEqual({
    config_path: 'langgraph.json',
    graphs: {
      one: { path: './one.js:graph', description: null },
      two: { path: './two.ts', description: 'The second.' },
    },
    http: { disable_a2a: true },
    env: undefined,
    local_dependencies: [],
    warnings: [],
  });
});

test.each([
  [['.'], 'langgraph.json', []],
  [
    ['.', '../shared', 'langchain_openai', '../../packages/tools/'],
    'apps/agent/langgraph.json',
    ['apps/shared', 'packages/tools'],
  ],
  [['../..', './', './lib', './lib/'], 'apps/agent/langgraph.json', ['.', 'apps/agent/lib']],
])('the folders among the dependencies %j of %s are %j', (dependencies, path, folders) => {
  expect(read({ graphs: { a: './a.js' }, dependencies }, path).local_dependencies).toEqual(folders);
});

describe('a configuration is refused in words', () => {
  test.each([
    ['missing', undefined, /no langgraph\.json/],
    ['not JSON', '{', /not JSON/],
    ['a list', '[]', /graph configuration/],
    ['without graphs', '{}', /graphs/],
    ['with no graph', '{"graphs":{}}', /names no graphs/],
    ['with a number as graph', '{"graphs":{"a":1}}', /graphs\.a/],
    ['of Python', '{"graphs":{"a":"./a.py:graph"}}', /Python/],
    ['of a Python module', '{"graphs":{"a":"pkg.mod:graph"}}', /Python/],
    ['with a graph outside', '{"graphs":{"a":"../a.js:graph"}}', /inside the project/],
    ['with an absolute graph', '{"graphs":{"a":"/etc/a.js:graph"}}', /inside the project/],
    ['with an env file outside', '{"graphs":{"a":"./a.js:g"},"env":"../../.env"}', /env/],
    ['with a version that is none', '{"graphs":{"a":"./a.js:g"},"node_version":"lts"}', /node_version/],
    ['with an old version', '{"graphs":{"a":"./a.js:g"},"node_version":"18"}', /node_version/],
    ['with a dependency outside', '{"graphs":{"a":"./a.js:g"},"dependencies":["../x"]}', /\.\.\/x/],
    ['with wrong dependencies', '{"graphs":{"a":"./a.js:g"},"dependencies":"."}', /dependencies/],
    ['with a wrong switch', '{"graphs":{"a":"./a.js:g"},"http":{"disable_a2a":"yes"}}', /http\.disable_a2a/],
  ])('%s', (_name, config_text, message) => {
    const result = readLangGraphJson(config_text, 'langgraph.json');
    expect(result.kind === 'refused' && result.message).toMatch(message);
  });
});

test('rules of access that are not built are refused', () => {
  const config = { graphs: { a: './a.ts' }, auth: { path: './auth.ts:auth' } };
  expect(() => read(config)).toThrow(/auth is not built yet/);
});

test('what is ignored is said of each key, and an env file above the configuration is fine', () => {
  const config = read(
    {
      graphs: { a: '../lib/a.ts' },
      env: '../.env',
      node_version: 20,
      node_loader: 'ts-node',
      grahps: {},
      store: { index: {} },
      dockerfile_lines: ['RUN apt-get install ffmpeg'],
      http: { disable_a2a: false, app: './app.ts:app' },
    },
    'app/langgraph.json',
  );
  expect(config.warnings).toEqual([
    'app/langgraph.json: the key "grahps" is not known and is ignored',
    'app/langgraph.json: "store" is not built yet and is ignored',
    'app/langgraph.json: "dockerfile_lines" is about a container image and is ignored: no image is built here',
    'app/langgraph.json: "http.app" is not built yet and is ignored',
    'app/langgraph.json: node_version 20 is asked for; agents run on Node 24 here',
    'app/langgraph.json: another node_loader is asked for; TypeScript is loaded by tsx here',
  ]);
});

test('nothing is said of keys that ask for nothing a JavaScript project would miss', () => {
  const harmless = {
    $schema: 'https://langgra.ph/schema.json',
    dependencies: ['.'],
    python_version: '3.12',
    node_version: '24',
    node_loader: 'tsx',
    pip_installer: 'uv',
  };
  expect(read({ graphs: { a: './a.ts' }, ...harmless }).warnings).toEqual([]);
});
