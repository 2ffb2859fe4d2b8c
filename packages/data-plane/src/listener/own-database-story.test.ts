import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ResourceSpec } from '@roadstead/contracts/control-plane';
import { FakeApiServer } from '@roadstead/kubernetes/testing';
import { useFixturePerTest } from '@roadstead/testing';
import { expect, inject, test } from 'vitest';
import { ownCertificate } from '../testing/cluster/certificate.ts';
import { playControllers } from '../testing/cluster/fake-controllers.ts';
import { playNode } from '../testing/cluster/fake-node.ts';
import { makeNamespaces } from '../testing/cluster/open-pods.ts';
import { PlayedDatabases } from '../testing/cluster/play-databases.ts';
import { startFixture } from '../testing/data-plane-fixture.ts';
import { sourceArchive } from '../testing/projects.ts';

/** A deployment with a database server of its own, from its source to its answers and its end: a real data plane on a cluster that is played. */

const wait = { interval: 20, timeout: 60_000 };

async function open() {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const server = stack.use(await FakeApiServer.open());
  await makeNamespaces(server.access, ['agents']);
  playControllers(server);
  playNode(server);
  const operator = stack.use(new PlayedDatabases(server, inject('postgresUrl')));
  const at = (name: string) => join(folder, name);
  const { certificate, key } = await ownCertificate();
  const { token = '' } = await server.access.readCredential();
  const kubeconfig = {
    'current-context': 'played',
    contexts: [{ name: 'played', context: { cluster: 'played', user: 'played' } }],
    clusters: [{ name: 'played', cluster: { server: server.address } }],
    users: [{ name: 'played', user: { token } }],
  };
  await writeFile(at('kubeconfig'), JSON.stringify(kubeconfig));
  await writeFile(at('certificate'), certificate);
  await writeFile(at('key'), key);
  const plane = stack.use(
    await startFixture({
      environment: { ...process.env, KUBECONFIG: at('kubeconfig') },
      cluster: {
        compute: 'cluster',
        agents_databases: 'cloudnativepg',
        host_image: 'host',
        hosts_address: '127.0.0.1',
        hosts_certificate: at('certificate'),
        hosts_key: at('key'),
        data_claim: 'data',
        agents_namespace: ['agents'],
      },
    }),
  );
  const opened = stack.move();
  return { ...plane, server, operator, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const fixture = useFixturePerTest(open);

test('when a deployment has a server of its own, then it serves from that, and takes it with it', async () => {
  const { control, operator, call, restart } = fixture();
  const resources = ResourceSpec.parse({ db_cpu: 0.5, db_memory_mb: 512, cache_cpu: 1 });
  const revision = { ...control.revisionOf(await sourceArchive('works')), resources };
  operator.stuck = { phase: 'Setting up primary' };
  const id = control.desire('mine', { revision });
  await expect
    .poll(() => control.observations.at(-1)?.reason, wait)
    .toMatchObject({ code: 'database_not_ready' });
  await operator.resume();
  await expect.poll(() => control.storyOf(revision.id).at(-1), wait).toBe('switch done');
  expect(control.activeOf(id)).toBe(revision.id);
  const [cluster] = operator.clusters;
  expect(cluster?.metadata.namespace).toBe('agents');
  expect(cluster?.spec.resources?.requests).toEqual({ cpu: '500m', memory: '512Mi' });
  expect(control.observations.at(-1)?.notes).toEqual([expect.stringContaining('cache_cpu')]);
  const threads = () => call('/agents/mine/threads/count', {});
  const made = await call('/agents/mine/threads', {});
  expect(made.status).toBe(200);
  expect((await threads()).body).toBe(1);
  await restart();
  await expect.poll(async () => (await threads()).body, wait).toBe(1);
  expect(operator.databases).toHaveLength(1);
  control.desire('mine', { removed: true, purge: true });
  await expect.poll(() => operator.databases, wait).toEqual([]);
  expect(operator.clusters).toEqual([]);
});
