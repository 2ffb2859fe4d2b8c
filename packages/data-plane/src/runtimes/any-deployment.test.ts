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
  const part = (name: string) => ({
    prepare: async () => manifest,
    restore: () => undefined,
    activate: async (revision_id: string) => void done.push([name, revision_id]),
  });
  const deployment = new AnyDeployment({
    graphs: part('graphs') as unknown as AgentServer,
    server: part('server') as unknown as ServerDeployment,
    limitConnections: async (connections) => void done.push(connections),
  });
  return { deployment, done };
}

const graphs = (revision_id: string, database_connections?: number): RuntimeRevision => ({
  revision_id,
  folder: '/',
  project: projectGraphs,
  environment: {},
  resources: { database_connections },
});

test('when a revision takes over, then the connections to its database are held to its own limit', async () => {
  const { deployment, done } = open();
  await deployment.prepare(graphs('one', 20), calm());
  await deployment.activate('one', calm());
  deployment.restore(graphs('two'), manifest);
  await deployment.activate('two', calm());
  expect(done).toEqual([20, ['graphs', 'one'], undefined, ['graphs', 'two']]);
});

test('when the database is away as a revision takes over, then what served goes on', async () => {
  const { done } = open();
  const deployment = new AnyDeployment({
    graphs: {
      prepare: async () => manifest,
      activate: async () => void done.push('taken over'),
    } as unknown as AgentServer,
    server: {} as ServerDeployment,
    limitConnections: () => Promise.reject(new Error('away')),
  });
  await deployment.prepare(graphs('one', 20), calm());
  await expect(deployment.activate('one', calm())).rejects.toThrow('away');
  expect(done).toEqual([]);
});
