import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { HostUnderTest } from './testing/host-process.ts';

/** Which tsconfig a graph is loaded by. */

type Files = Readonly<Record<string, string | object>>;

async function project(files: Files): Promise<AsyncDisposable & { path: string }> {
  const above = await mkdtemp(join(tmpdir(), 'roadstead-tsconfigs-'));
  const path = join(above, 'revision');
  for (const [name, text] of Object.entries({ ...langgraph, ...files })) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), typeof text === 'string' ? text : JSON.stringify(text));
  }
  return { path, [Symbol.asyncDispose]: () => rm(above, { recursive: true }) };
}

/** What stands for LangGraph. */
const module = (name: string, code: string): Files => ({
  [`node_modules/${name}/package.json`]: { name, version: '1.0.0', type: 'module', exports: './index.js' },
  [`node_modules/${name}/index.js`]: code,
});
const langgraph: Files = {
  ...module('@langchain/langgraph', 'export {};'),
  ...module(
    '@langchain/langgraph-checkpoint',
    'export class BaseCheckpointSaver {} export class BaseStore {} export const emptyCheckpoint = () => ({ v: 4 });',
  ),
};

/** A graph that says a word by its channels. */
const says = (imports: string, word: string) =>
  `${imports}\nexport const graph = { channels: { [${word}]: {} }, stream: async function* () {} };\n`;

const aliases = { compilerOptions: { baseUrl: '.', paths: { '@/*': ['./src/*'] } } };

/** One of several apps, whose aliases mean its own files. */
const app = (name: string, tsconfig: object = aliases): Files => ({
  [`${name}/tsconfig.json`]: tsconfig,
  [`${name}/src/agent.ts`]: says(`import { word } from '@/word';`, 'word'),
  [`${name}/src/word.ts`]: `import { inner } from '@/inner'; export const word: string = inner;`,
  [`${name}/src/inner.ts`]: `export const inner = '${name}';`,
});

const graphs = (...names: readonly string[]) => ({
  'langgraph.json': {
    graphs: Object.fromEntries(names.map((name) => [name, `./${name}/src/agent.ts:graph`])),
  },
});

async function channelsOf(files: Files, config_path?: string): Promise<Record<string, readonly string[]>> {
  await using folder = await project(files);
  await using host = new HostUnderTest(folder.path, {
    fenced: true,
    ...(config_path === undefined ? {} : { config_path }),
  });
  const { result } = await host.peer.ask('describe', {});
  return Object.fromEntries(result.graphs.map(({ graph_id, channels }) => [graph_id, channels]));
}

test.each(['module', 'commonjs'])(
  'when two apps have a tsconfig each, then each graph is loaded by its own (%s)',
  async (type) => {
    const files = { 'package.json': { type }, ...graphs('one', 'two'), ...app('one'), ...app('two') };
    expect(await channelsOf(files)).toEqual({ one: ['one'], two: ['two'] });
  },
);

test('when the configuration has no tsconfig, then no other app’s counts for a graph without one', async () => {
  const files = {
    'package.json': { type: 'module' },
    ...graphs('one', 'plain'),
    ...module('word', `export const word = 'package';`),
    'one/tsconfig.json': { compilerOptions: { baseUrl: '.', paths: { '*': ['./src/*'] } } },
    'one/src/word.ts': `export const word: string = 'one';`,
    'one/src/agent.ts': says(`import { word } from 'word';`, 'word'),
    'plain/src/agent.ts': says(`import { word } from 'word';`, 'word as string'),
  };
  expect(await channelsOf(files)).toEqual({ one: ['one'], plain: ['package'] });
});

test('when a graph lies behind a link, then the tsconfig where it really lies counts', async () => {
  await using folder = await project({
    'package.json': { type: 'module' },
    ...graphs('one'),
    ...app('shared'),
    'one/tsconfig.json': {},
  });
  await symlink('../shared/src', join(folder.path, 'one/src'));
  await using host = new HostUnderTest(folder.path, { fenced: true });
  const { result } = await host.peer.ask('describe', {});
  expect(result.graphs.map(({ channels }) => channels)).toEqual([['shared']]);
});

test('when the tsconfig of an app extends that of the root, then both count', async () => {
  const files = {
    'package.json': { type: 'module' },
    'tsconfig.json': { compilerOptions: { paths: { '@/*': ['./nowhere/*'] } } },
    ...graphs('one', 'two'),
    ...app('one', { extends: '../tsconfig.base.json', ...aliases }),
    ...app('two', { extends: '../tsconfig.base.json', ...aliases }),
    'tsconfig.base.json': { compilerOptions: { jsx: 'react', jsxFactory: 'make' } },
    'one/src/agent.tsx': '',
  };
  expect(await channelsOf(files)).toEqual({ one: ['one'], two: ['two'] });
});

test('when apps write JSX in different ways, then each is compiled in its own', async () => {
  const jsx = (factory: string) => ({
    compilerOptions: { jsx: 'react', jsxFactory: factory, ...aliases.compilerOptions },
  });
  const agent = (factory: string) =>
    says(`const ${factory} = (name: string) => '${factory}-' + name;`, '<word />').replace(
      '(name: string)',
      '(name)',
    );
  const files = {
    'package.json': { type: 'module' },
    'langgraph.json': { graphs: { one: './one/agent.tsx:graph', two: './two/agent.tsx:graph' } },
    'one/tsconfig.json': { extends: './base.json' },
    'one/base.json': jsx('first'),
    'one/agent.tsx': agent('first'),
    'two/tsconfig.json': jsx('second'),
    'two/agent.tsx': agent('second'),
  };
  expect(await channelsOf(files)).toEqual({ one: ['first-word'], two: ['second-word'] });
});

test('when apps decorate in the older way and in the newer, then both are understood', async () => {
  const agent = says(
    `let seen = 0;
     const count = (...args: unknown[]) => { seen = args.length; };
     class Named { @count name() { return 1; } }
     export const named = Named;`,
    '`${seen}`',
  );
  const files = {
    'package.json': { type: 'module' },
    'langgraph.json': { graphs: { one: './one/agent.ts:graph', two: './two/agent.ts:graph' } },
    'one/tsconfig.json': { compilerOptions: { experimentalDecorators: true } },
    'one/agent.ts': agent,
    'two/tsconfig.json': { compilerOptions: {} },
    'two/agent.ts': agent,
  };
  // Target, name and descriptor, or what is decorated and its context.
  expect(await channelsOf(files)).toEqual({ one: ['3'], two: ['2'] });
});

test('when the configuration lies apart, then the tsconfig beside the graph counts', async () => {
  const files = {
    'package.json': { type: 'module' },
    'config/langgraph.json': { graphs: { one: '../one/src/agent.ts:graph' } },
    'config/tsconfig.json': { compilerOptions: { paths: { '@/*': ['./nowhere/*'] } } },
    ...app('one'),
  };
  expect(await channelsOf(files, 'config/langgraph.json')).toEqual({ one: ['one'] });
});

test('when a graph has no tsconfig above it, then that of the configuration counts', async () => {
  const files = {
    'package.json': { type: 'module' },
    'config/langgraph.json': { graphs: { one: '../src/agent.ts:graph' } },
    'config/tsconfig.json': { compilerOptions: { baseUrl: '..', paths: { '@/*': ['./src/*'] } } },
    'src/agent.ts': says(`import { word } from '@/word';`, 'word'),
    'src/word.ts': `export const word = 'shared';`,
  };
  expect(await channelsOf(files, 'config/langgraph.json')).toEqual({ one: ['shared'] });
});

test.each<[string, Files, RegExp]>([
  [
    'an alias leads nowhere',
    { ...app('one'), 'one/src/word.ts': `import '@/lost';` },
    /Graph "one" .*@\/lost.* \(compiled by one\/tsconfig\.json\)/s,
  ],
  [
    'there is no tsconfig',
    { 'one/src/agent.ts': says(`import { word } from '@/word';`, 'word') },
    /@\/word.* \(compiled without a tsconfig\.json\)/s,
  ],
  [
    'what a tsconfig extends is missing',
    app('one', { extends: '@acme/tsconfig' }),
    /one\/tsconfig\.json can’t be used: .*@acme\/tsconfig/s,
  ],
])('when %s, then the failure names the tsconfig', async (_what, more, message) => {
  const files = { 'package.json': { type: 'module' }, ...graphs('one'), ...more };
  await expect(channelsOf(files)).rejects.toThrow(message);
});
