import { describe, expect, test } from 'vitest';
import { KeptGraphConfig, readLangGraphJson } from './read.ts';
import { RULES_MARK } from './rules-mark.ts';
import { languagesOf } from './project-parts.ts';
import { defaultSettings } from './settings.ts';

function read(config: unknown, path = 'langgraph.json') {
  const result = readLangGraphJson(JSON.stringify(config), path);
  if (result.kind === 'refused') throw new Error(result.message);
  return result.config;
}

test('when langgraph.json names graphs, then their paths, descriptions and switches are read', () => {
  const config = read({
    graphs: { one: './one.js:graph', two: { path: './two.ts', description: 'The second.' } },
    http: { disable_a2a: true },
  });
  expect(config).toEqual({
    ...defaultSettings,
    config_path: 'langgraph.json',
    graphs: {
      one: { path: './one.js:graph', description: null },
      two: { path: './two.ts', description: 'The second.' },
    },
    http: { ...defaultSettings.http, disable_a2a: true },
    env: undefined,
    local_dependencies: [],
    python: null,
    warnings: [],
  });
});

test('when a graph has words for an agent card, then they are kept, or refused by name', () => {
  const a2a = {
    name: 'Harbour pilot',
    provider: { organization: 'Harbour', url: 'https://harbour.example' },
    skills: [{ id: 'moor', name: 'Moor', description: 'Moors ships.', tags: ['ships'] }],
    public: true,
    extended: { description: 'Knows the tides.' },
  };
  const graph = (words: unknown) => ({ graphs: { one: { path: './one.js', a2a: words } } });
  expect(read(graph(a2a)).graphs['one']?.a2a).toEqual(a2a);
  expect(read(graph(null)).graphs['one']).not.toHaveProperty('a2a');
  const refused = [
    ['pilot', 'a2a: must be an object'],
    [{ nmae: 'x' }, 'a2a: has no nmae'],
    [{ public: 'yes' }, 'a2a.public: must be true or false'],
    [{ iconUrl: 'ftp://x' }, 'a2a.iconUrl: must be an http or https address'],
    [{ defaultOutputModes: ['text'] }, 'a2a.defaultOutputModes.0: must be a media type'],
    [{ skills: [{ id: 'a', name: '', description: 'b' }] }, 'a2a.skills.0.name: must not be empty'],
    [{ extended: { public: true } }, 'a2a.extended: '],
  ] as const;
  for (const [words, sentence] of refused) expect(() => read(graph(words))).toThrow(`graphs.one.${sentence}`);
});

test.each([
  [['.'], 'langgraph.json', []],
  [
    ['.', '../shared', 'langchain_openai', '../../packages/tools/'],
    'apps/agent/langgraph.json',
    ['apps/shared', 'packages/tools'],
  ],
  [['../..', './', './lib', './lib/'], 'apps/agent/langgraph.json', ['.', 'apps/agent/lib']],
])(
  'when the dependencies are %j of %s, then the folders among them are %j',
  (dependencies, path, folders) => {
    expect(read({ graphs: { a: './a.js' }, dependencies }, path).local_dependencies).toEqual(folders);
  },
);

test.each([
  ['graphs.a', { graphs: { a: './a.py:graph' } }, ['python']],
  ['graphs.a', { graphs: { a: 'pkg.mod:graph' } }, ['python']],
  ['http.app', { graphs: { a: './a.js' }, http: { app: './web.py:app' } }, ['javascript', 'python']],
  ['auth.path', { graphs: { a: './a.js' }, auth: { path: './auth.py:a' } }, ['javascript', 'python']],
  [
    'store.index.embed',
    { graphs: { a: './a.js' }, store: { index: { dims: 3, embed: 'e.py:f' } } },
    ['javascript', 'python'],
  ],
])('when %s is Python, then the languages of the project are told: %j', (_key, config, languages) => {
  expect(languagesOf(read(config))).toEqual(languages);
});

test('when a project has Python, then its settings are read; else what they say asks for nothing', () => {
  const settings = {
    python_version: '3.12-bookworm',
    dependencies: ['.', 'langchain_openai'],
    pip_config_file: './pip.conf',
    pip_installer: 'pip',
    source: { kind: 'uv', package: 'agent' },
  };
  expect(read({ graphs: { a: './a.py:g' }, ...settings }).python).toEqual({
    ...settings,
    python_version: '3.12',
    source: { kind: 'uv', package: 'agent', root: '.' },
  });
  expect(read({ graphs: { a: './a.py:g' } }).python).toEqual({ pip_installer: 'auto' });
  expect(read({ graphs: { a: './a.js' }, python_version: '2.7' }).python).toBeNull();
});

test.each([
  [{ python_version: '3.10' }, 'python_version: must be one of 3.11, 3.12, 3.13, 3.14'],
  [{ python_version: 3.12 }, 'python_version: must be a text'],
  [{ source: { kind: 'git' } }, 'source.kind: must be "uv"'],
  [{ source: { kind: 'uv', root: '../..' } }, 'source.root: ../.. is not a path inside'],
  [{ pip_config_file: '/etc/pip.conf' }, 'pip_config_file: /etc/pip.conf is not a path inside'],
  [{ pip_installer: 'poetry' }, 'pip_installer: must be auto, pip or uv'],
  [{ dependencies: ['--index-url http://x'] }, 'dependencies: an entry is neither'],
])('when a setting of Python is wrong, then it is refused by name: %j', (setting, sentence) => {
  const refused = () => read({ graphs: { a: './a.py:g' }, ...setting }, 'app/langgraph.json');
  expect(refused).toThrow(`app/langgraph.json: ${sentence}`);
});

describe('a configuration is refused in words', () => {
  test.each([
    ['missing', undefined, /no langgraph\.json/],
    ['not JSON', '{', /not JSON/],
    ['a list', '[]', /graph configuration/],
    ['without graphs', '{}', /graphs/],
    ['with no graph', '{"graphs":{}}', /names no graphs/],
    ['with a number as graph', '{"graphs":{"a":1}}', /graphs\.a/],
    ['with a graph outside', '{"graphs":{"a":"../a.js:graph"}}', /inside the project/],
    ['with an absolute graph', '{"graphs":{"a":"/etc/a.js:graph"}}', /inside the project/],
    ['with an env file outside', '{"graphs":{"a":"./a.js:g"},"env":"../../.env"}', /env/],
    ['with a version that is none', '{"graphs":{"a":"./a.js:g"},"node_version":"lts"}', /node_version/],
    ['with an old version', '{"graphs":{"a":"./a.js:g"},"node_version":"18"}', /node_version/],
    ['with a dependency outside', '{"graphs":{"a":"./a.js:g"},"dependencies":["../x"]}', /\.\.\/x/],
    ['with wrong dependencies', '{"graphs":{"a":"./a.js:g"},"dependencies":"."}', /dependencies/],
    ['with a newer version', '{"graphs":{"a":"./a.js:g"},"node_version":"26"}', /node_version: 26 is newer/],
    [
      'with patterns of headers without end',
      JSON.stringify({
        graphs: { a: './a.js:g' },
        http: { logging_headers: { includes: Array.from({ length: 201 }, () => '*') } },
      }),
      /http\.logging_headers\.includes: must not have more than 200 entries/,
    ],
    ['with a wrong switch', '{"graphs":{"a":"./a.js:g"},"http":{"disable_a2a":"yes"}}', /http\.disable_a2a/],
    [
      'with an app outside',
      '{"graphs":{"a":"./a.js:g"},"http":{"app":"../web.js:app"}}',
      /http\.app.*inside/,
    ],
    [
      'with a prefix that is none',
      '{"graphs":{"a":"./a.js:g"},"http":{"mount_prefix":"//x y"}}',
      /http\.mount_prefix/,
    ],
    [
      'with a wrong origin',
      '{"graphs":{"a":"./a.js:g"},"http":{"cors":{"allow_origins":"*"}}}',
      /http\.cors\.allow_origins/,
    ],
    [
      'without dimensions',
      '{"graphs":{"a":"./a.js:g"},"store":{"index":{"embed":"openai:x"}}}',
      /store\.index\.dims/,
    ],
    [
      'with an embedder outside',
      '{"graphs":{"a":"./a.js:g"},"store":{"index":{"dims":3,"embed":"../e.js:f"}}}',
      /store\.index\.embed.*inside/,
    ],
    [
      'with no time',
      '{"graphs":{"a":"./a.js:g"},"checkpointer":{"ttl":{"default_ttl":0}}}',
      /checkpointer\.ttl\.default_ttl/,
    ],
    [
      'with a strategy that is none',
      '{"graphs":{"a":"./a.js:g"},"checkpointer":{"ttl":{"strategy":"keep"}}}',
      /checkpointer\.ttl\.strategy/,
    ],
    [
      'with a list of types that is none',
      '{"graphs":{"a":"./a.js:g"},"checkpointer":{"serde":{"allowed_msgpack_modules":["a.B"]}}}',
      /checkpointer\.serde\.allowed_msgpack_modules: must be true, null or a list of lists of names/,
    ],
    [
      'with another database',
      '{"graphs":{"a":"./a.js:g"},"checkpointer":{"backend":"mongo"}}',
      /checkpoints are kept in the deployment/,
    ],
    [
      'with a saver of its own',
      '{"graphs":{"a":"./a.js:g"},"checkpointer":{"path":"./s.ts:s"}}',
      /checkpoints are kept in the deployment/,
    ],
    ['with encryption', '{"graphs":{"a":"./a.js:g"},"encryption":{"path":"./e.ts:e"}}', /encryption/],
    [
      'with a wrong webhook',
      '{"graphs":{"a":"./a.js:g"},"webhooks":{"url":{"allowed_ports":[0]}}}',
      /webhooks\.url\.allowed_ports/,
    ],
    ['with a loader outside', '{"graphs":{"a":"./a.js:g"},"node_loader":"../l.js"}', /node_loader.*inside/],
  ])('when langgraph.json is wrong, then it is refused in words: %s', (_name, config_text, message) => {
    const result = readLangGraphJson(config_text, 'langgraph.json');
    expect(result.kind === 'refused' && result.message).toMatch(message);
  });
});

test('when rules of access are named, then they are read, and must lie inside the project', () => {
  const graphs = { a: './a.ts' };
  const auth = (path: string, more = {}) => read({ graphs, auth: { path, ...more } }).auth;
  expect(read({ graphs }).auth).toBeNull();
  expect(auth('./auth.ts:auth')).toEqual({
    path: './auth.ts:auth',
    disable_studio_auth: false,
    openapi: null,
    cache: null,
    allow_langsmith_api_keys: false,
  });
  expect(() => auth('../../auth.ts:auth')).toThrow(/not a path inside the project/);
  expect(() => read({ graphs, auth: true })).toThrow(/auth: must be/);
});

test('when keys are ignored, then each is named; an env file above the configuration is fine', () => {
  const config = read(
    {
      graphs: { a: '../lib/a.ts' },
      env: '../.env',
      node_version: 20,
      node_loader: 'ts-node',
      grahps: {},
      store: { ttl: { default_tll: 5 } },
      ui: { agent: './ui.tsx' },
      dockerfile_lines: ['RUN apt-get install ffmpeg'],
      http: {
        disable_a2a: false,
        app: './app.ts:app',
        disable_crons: true,
        cors: { origins: [] },
        middleware_order: 'auth_first',
      },
      auth: { disable_studio_auth: true },
    },
    'app/langgraph.json',
  );
  expect(config.warnings).toEqual([
    'app/langgraph.json: the key "grahps" is not known and is ignored',
    'app/langgraph.json: the key "store.ttl.default_tll" is not known and is ignored',
    'app/langgraph.json: "ui" is not built and is ignored',
    'app/langgraph.json: "dockerfile_lines" is about a container image and is ignored: no image is built here',
    'app/langgraph.json: the key "http.disable_crons" is not known and is ignored',
    'app/langgraph.json: the key "http.cors.origins" is not known and is ignored',
    'app/langgraph.json: "http.middleware_order" is ignored: middleware of http.app runs for the addresses of the app alone',
    'app/langgraph.json: node_version 20 is asked for; agents run on Node 24 here',
    'app/langgraph.json: "auth" names no handler: callers need an API key of the workspace',
  ]);
});

test('when a key asks for nothing that a JavaScript project misses, then nothing is said of it', () => {
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

test('when a file says more than its graphs, then it is read with the defaults of the original', () => {
  const config = read({
    graphs: { a: './a.ts' },
    http: { app: './web.ts:app', mount_prefix: 'api/v1/', cors: { allow_origins: ['https://a.example'] } },
    store: { index: { dims: 3, embed: './embed.ts:embed' }, ttl: { default_ttl: 10 } },
    checkpointer: { ttl: { default_ttl: 60 } },
    webhooks: { headers: { authorization: 'Bearer ${{ env.LG_WEBHOOK_TOKEN }}' } },
    node_loader: './loader.mjs',
  });
  expect(config.warnings).toEqual([]);
  expect(config.http).toEqual({
    ...defaultSettings.http,
    app: './web.ts:app',
    mount_prefix: '/api/v1',
    cors: {
      allow_origins: ['https://a.example'],
      allow_origin_regex: null,
      allow_methods: null,
      allow_headers: null,
      allow_credentials: false,
      expose_headers: null,
      max_age: null,
    },
  });
  expect(config.store).toEqual({
    index: { dims: 3, embed: './embed.ts:embed', fields: ['$'] },
    ttl: { refresh_on_read: true, default_ttl: 10, sweep_interval_minutes: null },
  });
  expect(config.checkpointer).toEqual({
    ttl: { strategy: 'delete', default_ttl: 60, sweep_interval_minutes: null, sweep_limit: 1000 },
  });
  expect(config.webhooks?.env_prefix).toBe('LG_WEBHOOK_');
  expect(config.node_loader).toBe('./loader.mjs');
});

test('when a configuration is kept as JSON, then it is read back as it was', () => {
  const config = read(
    {
      graphs: {
        one: './one.ts:graph',
        two: { path: './two.ts', description: 'Second.', a2a: { name: 'Pilot', public: true } },
      },
      env: { TOKEN: 'canary' },
      dependencies: ['.', '../shared'],
      node_version: '22',
      node_loader: './loader.mjs',
      ui: { one: './ui.tsx' },
      http: {
        app: './web.ts:app',
        mount_prefix: 'api/',
        cors: { allow_origins: ['https://a.example'] },
        configurable_headers: { includes: ['x-*'] },
      },
      store: { index: { dims: 3, embed: './embed.ts:embed' }, ttl: { default_ttl: 10 } },
      checkpointer: {
        ttl: { default_ttl: 60, strategy: 'keep_latest' },
        serde: {
          allowed_json_modules: [['pkg', 'Type']],
          allowed_msgpack_modules: null,
          pickle_fallback: false,
        },
      },
      auth: { path: './auth.ts:auth', openapi: { securitySchemes: { key: { type: 'apiKey' } } }, cache: {} },
      webhooks: { headers: { authorization: 'x' }, url: { allowed_ports: [443] } },
    },
    'apps/agent/langgraph.json',
  );
  const text = JSON.stringify({ rules: RULES_MARK, config });
  expect(KeptGraphConfig.parse(JSON.parse(text)).config).toEqual(config);
});
