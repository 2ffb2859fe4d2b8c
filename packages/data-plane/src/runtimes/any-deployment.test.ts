import type { AgentServer } from '@roadstead/agent-server';
import { expect, test } from 'vitest';
import type { RuntimeRevision } from '../ports/runtime.ts';
import type { ServerDeployment } from '../servers/server-deployment.ts';
import { projectGraphs } from '../testing/projects.ts';
import { AnyDeployment } from './any-deployment.ts';

const manifest = { graphs: [], langgraph_version: null };
const calm = () => new AbortController().signal;

function open() {
  const done: unknown[] = [];
  const failing = new Set<string>();
  const pass = (name: string) => {
    if (failing.has(name)) throw new Error(`${name} fail`);
  };
  const part = (name: string) => {
    let serves = 'none';
    return {
      prepare: async () => manifest,
      restore: () => undefined,
      activate: async (revision_id: string) => {
        pass(name);
        serves = revision_id;
        done.push([name, revision_id]);
      },
      fetch: async () => new Response(`${name} of ${serves}`),
    };
  };
  const deployment = new AnyDeployment({
    graphs: part('graphs') as unknown as AgentServer,
    server: part('server') as unknown as ServerDeployment,
    giveDatabase: async ({ connections }) => {
      pass('database');
      done.push(connections);
    },
  });
  return { deployment, done, fail: (name: string) => void failing.add(name) };
}

const graphs = (revision_id: string, connections?: number): RuntimeRevision => ({
  revision_id,
  folder: '/',
  project: projectGraphs,
  environment: {},
  database: { connections },
});

test('when a revision takes over, then the connections to its database are held to its own limit', async () => {
  const { deployment, done } = open();
  await deployment.prepare(graphs('one', 20), calm());
  await deployment.activate('one', calm());
  deployment.restore(graphs('two'), manifest);
  await deployment.activate('two', calm());
  expect(done).toEqual([20, ['graphs', 'one'], undefined, ['graphs', 'two']]);
});

test('when a revision fails to take over, then what serves has its own limit again', async () => {
  const { deployment, done, fail } = open();
  await deployment.prepare(graphs('one', 20), calm());
  await deployment.activate('one', calm());
  await deployment.prepare(graphs('two', 30), calm());
  fail('graphs');
  await expect(deployment.activate('two', calm())).rejects.toThrow('graphs fail');
  expect(done).toEqual([20, ['graphs', 'one'], 30, 20]);
});

test('when a revision is given up as it takes over, then what serves has its own limit again', async () => {
  const { deployment, done } = open();
  await deployment.prepare(graphs('one', 20), calm());
  await deployment.activate('one', calm());
  await deployment.prepare(graphs('two', 30), calm());
  await expect(deployment.activate('two', AbortSignal.abort(new Error('given up')))).rejects.toThrow(
    'given up',
  );
  expect(done).toEqual([20, ['graphs', 'one'], 30, 20]);
});

test('when the database is away as a revision takes over, then what served goes on', async () => {
  const { deployment, done, fail } = open();
  await deployment.prepare(graphs('one', 20), calm());
  await deployment.activate('one', calm());
  await deployment.prepare(graphs('two', 30), calm());
  fail('database');
  await expect(deployment.activate('two', calm())).rejects.toThrow('database fail');
  expect(done).toEqual([20, ['graphs', 'one']]);
  expect(await (await deployment.fetch(new Request('http://agent/'), {})).text()).toBe('graphs of one');
});
