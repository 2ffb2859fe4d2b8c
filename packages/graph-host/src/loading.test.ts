import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HostUnderTest, texts } from './testing/host-process.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const human = (text: string) => ({ messages: [{ role: 'user', content: text }] });

async function answer(host: HostUnderTest, graph_id: string, configurable = {}): Promise<string | undefined> {
  const params = { graph_id, thread_id: crypto.randomUUID(), input: human('hello'), configurable };
  const { outcome, events } = await host.run(params);
  expect(outcome).toMatchObject({ outcome: 'success' });
  return texts(events).at(-1);
}

test('when several graphs are served, then they are described in the configuration’s order', async () => {
  await using host = new HostUnderTest(fixture('agents'));
  const { result } = await host.peer.ask('describe', {});
  expect(result.graphs.map((graph) => graph.graph_id).slice(0, 3)).toEqual(['agent', 'tools', 'plain']);
  expect(result.graphs.find((graph) => graph.graph_id === 'agent')).toEqual({
    graph_id: 'agent',
    description: 'Counts its turns.',
    channels: ['messages'],
    has_messages: true,
  });
  expect(result.graphs.find((graph) => graph.graph_id === 'form')?.channels).toEqual(['messages', 'fields']);
  expect(result.graphs.find((graph) => graph.graph_id === 'steps')).toMatchObject({ has_messages: false });
  expect(result.graphs.find((graph) => graph.graph_id === 'pilot')).toMatchObject({
    description: 'Brings ships in.',
    card: {
      name: 'Harbour pilot',
      version: '4.5.6',
      examples: ['Moor the Elbe.'],
      public: true,
      signed: true,
    },
  });
  expect(await answer(host, 'promised')).toBe('1: hello');
});

test('when TypeScript has enums, paths and imports without extension, then it is loaded', async () => {
  await using host = new HostUnderTest(fixture('typescript'), { config_path: 'app/langgraph.json' });
  expect(await answer(host, 'agent')).toBe('Cheerful: hello');
});

/** A revision's folder with these files, below one that is removed afterwards. */
async function project(files: Readonly<Record<string, string>>): Promise<AsyncDisposable & { path: string }> {
  const above = await mkdtemp(join(tmpdir(), 'roadstead-host-'));
  const path = join(above, 'revision');
  await mkdir(path);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  return { path, [Symbol.asyncDispose]: () => rm(above, { recursive: true }) };
}

/** A package of the project's own, of one file. */
function packageFiles(name: string, code: string): Record<string, string> {
  const folder = `node_modules/${name}`;
  return {
    [`${folder}/package.json`]: JSON.stringify({
      name,
      version: '0.1.9',
      type: 'module',
      exports: './index.js',
    }),
    [`${folder}/index.js`]: code,
  };
}

test.each([
  ['without checkpoint package', {}, /needs @langchain\/langgraph 0\.2 or newer/],
  [
    'whose checkpoint package lacks its class',
    packageFiles('@langchain/langgraph-checkpoint', 'export const emptyCheckpoint = () => ({ v: 1 });'),
    /Graph "agent": its version of @langchain\/langgraph can’t be run here/,
  ],
])('when a LangGraph %s is described, then it is refused', async (_, checkpoint, sentence) => {
  await using folder = await project({
    ...packageFiles('@langchain/langgraph', 'export {};'),
    ...checkpoint,
    'package.json': '{ "type": "module" }',
    'langgraph.json': '{ "graphs": { "agent": "./agent.js:graph" } }',
    'agent.js': 'export const graph = { channels: { messages: {} }, async *stream() {} };',
  });
  await using host = new HostUnderTest(folder.path, { fenced: true });
  await expect(host.peer.ask('describe', {})).rejects.toThrow(sentence);
});

test('when a tsconfig extends what is not installed, then the failure names it', async () => {
  await using folder = await project({
    'langgraph.json': '{ "graphs": { "agent": "./agent.ts:graph" } }',
    'tsconfig.json': '{ "extends": "@tsconfig/recommended" }',
    'agent.ts': 'export const graph = {};',
  });
  await using host = new HostUnderTest(folder.path);
  await expect(host.peer.ask('describe', {})).rejects.toThrow(
    /tsconfig\.json can’t be used: .*@tsconfig\/recommended.* must be installed/,
  );
});

test('when a project has no tsconfig, then that of a folder above does not compile it', async () => {
  await using folder = await project({
    // Keeps imports of types, which then are missing.
    '../tsconfig.json': '{ "compilerOptions": { "verbatimModuleSyntax": true } }',
    'package.json': '{ "type": "module" }',
    'langgraph.json': '{ "graphs": { "agent": "./agent.ts:graph" } }',
    'agent.ts': `import { Shape, kind } from './shape';\nexport const graph: Shape = { kind, channels: {}, stream() {} };\n`,
    'shape.ts': `export interface Shape { kind: string; channels: object; stream(): void }\nexport const kind = 'none';\n`,
  });
  await using host = new HostUnderTest(folder.path, { fenced: true });
  // The graph is loaded; only its LangGraph is missing.
  await expect(host.peer.ask('describe', {})).rejects.toThrow("Cannot find package '@langchain/langgraph'");
});

test('when TypeScript imports packages, then their modules are loaded as they are', async () => {
  await using folder = await project({
    ...packageFiles('lazy', 'export const load = (name) => import(name);'),
    'package.json': '{ "type": "module" }',
    'langgraph.json': '{ "graphs": { "agent": "./agent.ts:graph" } }',
    'agent.ts': "import { load } from 'lazy';\nthrow new Error(`read: ${load};` as string);",
  });
  await using host = new HostUnderTest(folder.path, { fenced: true });
  await expect(host.peer.ask('describe', {})).rejects.toThrow('read: (name) => import(name);');
});

test.each(['agent', 'named', 'transpiled', 'typed'])(
  'when CommonJS exports a graph as %s, then it is loaded',
  async (graph_id) => {
    await using host = new HostUnderTest(fixture('commonjs'));
    expect(await answer(host, graph_id)).toBe('commonjs: hello');
  },
);

test('when an export is a builder, a factory or an object around a graph, then it is run', async () => {
  await using host = new HostUnderTest(fixture('shapes'));
  const { result } = await host.peer.ask('describe', {});
  expect(result.graphs.at(-1)).toMatchObject({
    graph_id: 'agent',
    description: 'Wrapped.',
    has_messages: true,
  });
  expect(await answer(host, 'builder')).toBe('builder: hello');
  expect(await answer(host, 'agent')).toBe('agent: hello');
  expect(await answer(host, 'made')).toBe('made: hello');
  // Once to be described, then for each run, with the run's configuration.
  expect(await answer(host, 'factory', { tone: 'low' })).toBe('low 2: hello');
  expect(await answer(host, 'factory', { tone: 'high' })).toBe('high 3: hello');
});

test.each([
  ['throws.json', 'Graph "agent" (./throws.js) could not be loaded: this agent never loads (throws.js:1)'],
  ['missing.json', 'Graph "agent" (./nowhere.js): there is no such file in the deployed folder.'],
  ['export.json', 'Graph "agent" (./values.js:absent) has no export "absent"; there are: other, value.'],
  ['value.json', 'Graph "agent" (./values.js:value): the export "value" is not a graph'],
  [
    'imports-outside.json',
    '"../agents/memory.js", imported by imports-outside.js, leaves the deployed folder',
  ],
  ['package-missing.json', 'Graph "agent" (./package.js) could not be loaded: Cannot find package'],
  ['syntax.json', `Graph "agent" (./syntax.js) could not be loaded: Unexpected token '=' (syntax.js:1)`],
])('when the configuration is %s, then it is refused in words', async (config_path, sentence) => {
  await using host = new HostUnderTest(fixture('wrong'), { config_path, fenced: true });
  await expect(host.peer.ask('describe', {})).rejects.toThrow(sentence);
  // The host lives, and a run of such a revision has an end.
  const { outcome } = await host.run({ thread_id: 't', input: human('hello') });
  expect(outcome).toMatchObject({ outcome: 'error', error: { message: expect.stringContaining(sentence) } });
});

test.each<[string, string, Readonly<Record<string, string>>, string]>([
  [
    'a module that an entry imports',
    './agent.js',
    { 'agent.js': `import './inner.js';\nexport default 1;`, 'inner.js': 'const one = 1;\nlet two three;' },
    `Unexpected identifier 'three' (inner.js:2)`,
  ],
  [
    'a missing export',
    './agent.js',
    { 'agent.js': `\nimport { nothing } from './inner.js';`, 'inner.js': 'export const one = 1;' },
    `does not provide an export named 'nothing' (agent.js:2)`,
  ],
  ['CommonJS', './agent.cjs', { 'agent.cjs': 'const one = 1;\nconst two three;' }, `(agent.cjs:2)`],
  [
    'TypeScript',
    './agent.ts',
    { 'agent.ts': 'const one: number = 1;\nconst two: = 2;' },
    'could not be loaded: Unexpected "=" (agent.ts:2)',
  ],
])(
  'when there is a syntax error, then it names its file and line: %s',
  async (_case, entry, files, sentence) => {
    await using folder = await project({
      'package.json': '{ "type": "module" }',
      'langgraph.json': JSON.stringify({ graphs: { agent: entry } }),
      ...files,
    });
    await using host = new HostUnderTest(folder.path, { fenced: true });
    await expect(host.peer.ask('describe', {})).rejects.toThrow(sentence);
  },
);

test('when loading throws, then the error names its line, and the log has the project’s frames', async () => {
  await using folder = await project({
    'package.json': '{ "type": "module" }',
    'langgraph.json': '{ "graphs": { "agent": "./agent.js:graph" } }',
    'agent.js': `import { make } from './inner.js';\n\nexport const graph = make();`,
    'inner.js': `export function make() {\n  throw new TypeError('not so');\n}`,
  });
  await using host = new HostUnderTest(folder.path, { fenced: true });
  await expect(host.peer.ask('describe', {})).rejects.toThrow('could not be loaded: not so (inner.js:2)');
  await host.until(() => host.output.includes('agent.js:3'));
  expect(host.output.split('\n').slice(1, 4)).toEqual([
    '    at make (inner.js:2:9)',
    '    at agent.js:3:22',
    '',
  ]);
});

test('when an import is not of the revision, then it is refused, though a folder above has it', async () => {
  await using host = new HostUnderTest(fixture('agents'), { fenced: true });
  await expect(host.peer.ask('describe', {})).rejects.toThrow(/"@langchain\/.*", imported by memory.js/);
});
