import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { LoadError, loading } from './modules/load-error.ts';
import { HostUnderTest } from './testing/host-process.ts';

/** Whatever code of a project throws while it is loaded, and wherever: a sentence names file, line and reason. */

const root = '/project';
const thrownAt = (error: Error, place = `${root}/fault.js:2:9`) =>
  Object.assign(error, { stack: `${error.name}: ${error.message}\n    at fail (${place})` });

test.each<[string, unknown, string]>([
  ['an error', thrownAt(new TypeError('odd')), 'odd (fault.js:2)'],
  ['an error without a message', thrownAt(new RangeError()), 'RangeError (fault.js:2)'],
  [
    'an error of its package',
    thrownAt(new Error('no'), `${root}/node_modules/a/b.js:7:1`),
    'no (node_modules/a/b.js:7)',
  ],
  ['a path of the project', new Error(`no ${root}/x.js`), 'no x.js'],
  [
    'several errors as one',
    thrownAt(new AggregateError([thrownAt(new Error('disk')), new Error('net')], 'many')),
    'many: disk (and 1 more) (fault.js:2)',
  ],
  ['no errors as one', thrownAt(new AggregateError([], 'none')), 'none (fault.js:2)'],
  ['a text', 'just words', 'just words'],
  ['nothing', undefined, 'undefined'],
  ['a symbol', Symbol('sign'), 'Symbol(sign)'],
  ['an object with a message', { message: 'from afar' }, 'from afar'],
  ['an object without words', Object.create(null), 'an error without a message'],
  [
    'what throws when it is looked at',
    Object.defineProperty(new Error(), 'message', {
      get: () => {
        throw new Error('never');
      },
    }),
    'what was thrown can’t be read',
  ],
])('when loading throws %s, then it is told in a sentence', async (_, thrown, told) => {
  const work = () => {
    throw thrown;
  };
  const failed = loading(work, { what: 'It failed', root, beside: root });
  await expect(failed).rejects.toBeInstanceOf(LoadError);
  await expect(failed).rejects.toMatchObject({ message: `It failed: ${told}` });
});

test('when an error of loading is thrown, then it stays as it is', async () => {
  const work = () => loading(() => Promise.reject(new Error('no')), { what: 'Inner', root, beside: root });
  await expect(loading(work, { what: 'Outer', root, beside: root })).rejects.toThrow(/^Inner: no$/);
});

const good = 'export const graph = { channels: {}, async *stream() {} };';
const fault = `export function fail() {\n  throw new TypeError('odd');\n}`;
const odd = (name: string) =>
  `export const part = { get ${name}() { return fail(); }, fetch() {}, route() {}, routes: [] };`;
const fakes = {
  '@langchain/langgraph': 'export {};',
  '@langchain/langgraph-checkpoint':
    'export class BaseCheckpointSaver {}\nexport class AsyncBatchedStore {}\nexport class BaseStore {}',
};
const ofGraph = { graphs: { part: './part.js:part' } };

/** Where it is thrown: what `langgraph.json` names beside a graph, and the module `part.js` or a package. */
test.each<[string, object, string, Readonly<Record<string, string>>, string]>([
  ['a graph’s module', ofGraph, 'fail();', {}, 'Graph "part" (./part.js:part) could not be loaded'],
  [
    'a promise',
    ofGraph,
    'export const part = Promise.resolve().then(fail);',
    {},
    'Graph "part" (./part.js:part) could not be made',
  ],
  [
    'a builder',
    ofGraph,
    'export const part = { compile: fail };',
    {},
    'Graph "part" (./part.js:part) does not compile',
  ],
  ['a factory', ofGraph, 'export const part = () => fail();', {}, 'Graph "part" could not be made'],
  [
    'the channels of a graph',
    ofGraph,
    'export const part = () => ({ stream() {}, channels: new Proxy({}, { ownKeys: fail }) });',
    {},
    'Graph "part" could not be made',
  ],
  [
    'LangGraph',
    ofGraph,
    good.replace('graph', 'part'),
    { '@langchain/langgraph': `import { fail } from '../../../fault.js';\nfail();` },
    'Graph "part": its LangGraph could not be loaded',
  ],
  [
    'the package of checkpoints',
    ofGraph,
    good.replace('graph', 'part'),
    { '@langchain/langgraph-checkpoint': `import { fail } from '../../../fault.js';\nfail();` },
    'Graph "part" needs @langchain/langgraph 0.2 or newer',
  ],
  ['auth', { auth: { path: './part.js:part' } }, 'fail();', {}, 'auth (./part.js:part) could not be loaded'],
  [
    'the handlers of auth',
    { auth: { path: './part.js:part' } },
    odd("['~handlerCache']"),
    {},
    'auth (./part.js:part) could not be used',
  ],
  [
    'an app',
    { http: { app: './part.js:part' } },
    'fail();',
    {},
    'http.app (./part.js:part) could not be loaded',
  ],
  [
    'what makes an app',
    { http: { app: './part.js:part' } },
    odd('constructor'),
    {},
    'http.app (./part.js:part) could not be used',
  ],
  [
    'an embedder',
    { store: { index: { embed: './part.js:part', dims: 1 } } },
    'fail();',
    {},
    'store.index.embed (./part.js:part) could not be loaded',
  ],
  ['a loader', { node_loader: './part.js' }, 'fail();', {}, 'node_loader (./part.js) can’t be used'],
])(
  'when loading fails in %s, then a sentence says what, why and where',
  async (_, named, code, own, what) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'roadstead-errors-'));
    const packages = Object.entries({ ...fakes, ...own }).flatMap(([name, text]) => [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, type: 'module', exports: './index.js' })],
      [`node_modules/${name}/index.js`, text],
    ]);
    const files = {
      ...(Object.fromEntries(packages) as Record<string, string>),
      'package.json': '{ "type": "module" }',
      'langgraph.json': JSON.stringify({ graphs: { graph: './good.js:graph' }, ...named }),
      'good.js': good,
      'fault.js': fault,
      'part.js': `import { fail } from './fault.js';\n${code}`,
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder.path, name)), { recursive: true });
      await writeFile(join(folder.path, name), text);
    }
    await using host = new HostUnderTest(folder.path, { fenced: true });
    await expect(host.peer.ask('describe', {})).rejects.toThrow(`${what}: odd (fault.js:2)`);
  },
);
