import { expect, test } from 'vitest';
import type { Description, RunParams } from '@roadstead/contracts/host';
import { type Language, type ProjectGraphs, readLangGraphJson } from '@roadstead/contracts/langgraph-json';
import { Problem } from '@roadstead/kit';
import { LanguageHosts } from './language-hosts.ts';

const read = readLangGraphJson(
  JSON.stringify({
    graphs: { second: './second.ts:graph' },
    http: { app: './app.ts:app' },
    store: { index: { dims: 3, embed: './embed.ts:embed' } },
  }),
  'langgraph.json',
);
if (read.kind !== 'config') throw new Error(read.message);

/** The first graph and `auth` are Python; the second graph, the app and the embedder are TypeScript. */
const project: ProjectGraphs = {
  ...read.config,
  graphs: { first: { path: './first.py:graph', description: null }, ...read.config.graphs },
  auth: { path: './auth.py:auth', openapi: null, disable_studio_auth: false } as ProjectGraphs['auth'],
};

const described: Readonly<Record<Language, Description>> = {
  javascript: {
    graphs: [{ graph_id: 'second', description: null, channels: [], has_messages: true }],
    app: { routes: null },
    langgraph_version: '1.4.17',
  },
  python: {
    graphs: [{ graph_id: 'first', description: null, channels: [], has_messages: true }],
    auth: { handlers: ['threads'] },
    langgraph_version: '1.2.24',
    stores_deltas: true,
  },
};

function open(refused: readonly Language[] = []) {
  const calls: string[] = [];
  const hosts = new LanguageHosts(project, (language) => {
    const note = (what: string) => calls.push(`${language}: ${what}`);
    return {
      load: { runs: 1, room: 2 },
      trouble: undefined,
      refusal: refused.includes(language) ? new Problem('unavailable', language) : undefined,
      describe: async () => described[language],
      keep: () => note('keep'),
      run: async () => (note('run'), { outcome: 'success', interrupts: [], output: null }),
      cancel: () => note('cancel'),
      ask: async (method) => {
        note(method);
        return {};
      },
      borrow: async () => {
        note('borrow');
        return {} as never;
      },
      settle: () => note('settle'),
      drain: async () => void note('drain'),
    };
  });
  return { hosts, calls };
}

test('when hosts of two languages are described, then one description has all they loaded', async () => {
  expect(await open().hosts.describe(new AbortController().signal)).toEqual({
    graphs: [...described.python.graphs, ...described.javascript.graphs],
    auth: { handlers: ['threads'] },
    app: { routes: null },
    langgraph_version: '1.4.17',
    langgraph_py_version: '1.2.24',
    stores_deltas: true,
  });
});

const user = { identity: 'u', is_authenticated: true, display_name: 'u', permissions: [] };

test.each<[string, string, (hosts: LanguageHosts) => unknown]>([
  ['a run of a Python graph', 'python: run', (hosts) => hosts.run({ graph_id: 'first' } as RunParams, 'p')],
  [
    'a run of a JavaScript graph',
    'javascript: run',
    (hosts) => hosts.run({ graph_id: 'second' } as RunParams, 'p'),
  ],
  [
    'the schemas of a Python graph',
    'python: schemas',
    (hosts) => hosts.ask('schemas', { graph_id: 'first' }),
  ],
  [
    'a drawing of a JavaScript graph',
    'javascript: graph',
    (hosts) => hosts.ask('graph', { graph_id: 'second', xray: false }),
  ],
  ['a graph that is not there', 'python: schemas', (hosts) => hosts.ask('schemas', { graph_id: 'none' })],
  [
    'whether a user may do something',
    'python: authorize',
    (hosts) => hosts.ask('authorize', { user, resource: 'threads', action: 'read', value: {} }),
  ],
  ['vectors', 'javascript: embed', (hosts) => hosts.ask('embed', { texts: [] })],
  ['the own app', 'javascript: borrow', (hosts) => hosts.borrowApp()],
])('when %s is asked for, then the hosts that have it answer (%s)', async (_what, call, ask) => {
  const { hosts, calls } = open();
  await ask(hosts);
  expect(calls).toEqual([call]);
});

test('when the hosts of one language keep ending, then runs of the other begin', () => {
  const refusalsOf = ({ hosts }: ReturnType<typeof open>) =>
    ['first', 'second', 'none', undefined].map((graph_id) => hosts.refusalOf(graph_id)?.message);
  const [well, ill, worst] = [open(), open(['python']), open(['javascript', 'python'])];
  expect([well, ill, worst].map(({ hosts }) => hosts.well)).toEqual([true, false, false]);
  expect(refusalsOf(well)).toEqual([undefined, undefined, undefined, undefined]);
  expect(refusalsOf(ill)).toEqual(['python', undefined, undefined, undefined]);
  expect(refusalsOf(worst)).toEqual(['python', 'javascript', 'python', 'python']);
});

test('when a revision is kept, settled or drained, then the hosts of each language are', async () => {
  const { hosts, calls } = open();
  hosts.keep();
  hosts.settle({ run_id: 'r', attempt: 1 }, { outcome: 'cancelled', reason: 'cancel' });
  await hosts.drain(0);
  expect(calls.toSorted()).toEqual(
    (['javascript', 'python'] as const).flatMap((one) =>
      ['drain', 'keep', 'settle'].map((what) => `${one}: ${what}`),
    ),
  );
  expect(hosts.load).toEqual({ runs: 2, room: 4 });
});
