import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { silentLog } from '@roadstead/kit';
import { type Job, KubernetesClient } from '@roadstead/kubernetes';
import { FakeApiServer, FakeRefusal } from '@roadstead/kubernetes/testing';
import { assert, expect, test } from 'vitest';
import type { CommandProgram } from '../ports/command-place.ts';
import { playControllers } from '../testing/cluster/fake-controllers.ts';
import { playNode } from '../testing/cluster/fake-node.ts';
import { ClusterPods } from './cluster-pods.ts';
import { podCommands } from './pod-commands.ts';

async function openPlace() {
  await using stack = new AsyncDisposableStack();
  const data_folder = await mkdtemp(join(tmpdir(), 'data-'));
  stack.defer(() => rm(data_folder, { recursive: true, force: true }));
  const server = stack.use(await FakeApiServer.open());
  playControllers(server);
  playNode(server);
  const cluster = stack.use(new KubernetesClient(server.access));
  const pods = stack.use(new ClusterPods({ cluster, owner: 'listener', owners: 'jobs', log: silentLog }));
  const given: string[] = [];
  const place = podCommands({
    pods,
    image: 'host',
    pull_secrets: [],
    user: 10_001,
    data_folder,
    claim: 'data',
    node: 'node-1',
    give: async ({ writes }) => void given.push(...writes),
    log: silentLog,
  });
  const opened = stack.move();
  return {
    server,
    given,
    data_folder,
    start: (script: string, onHindrance?: CommandProgram['onHindrance']) =>
      place.start({
        command: ['/bin/sh', '-c', script],
        cwd: data_folder,
        environment: { TOKEN: 'the token', PATH: '/usr/bin:/bin' },
        reads: ['/usr', join(data_folder, 'cache')],
        writes: [join(data_folder, 'work')],
        home: join(data_folder, 'home'),
        limits: { memory_mb: 512, cpus: undefined },
        onHindrance,
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

test('when a command runs, then its output and its end come, and nothing of it is left', async () => {
  await using place = await openPlace();
  const running = place.start('echo "it has $TOKEN"; exit 3');
  const { stdout } = running.output;
  assert(stdout !== undefined);
  expect(await text(stdout)).toBe('it has the token\n');
  expect(await running.ended).toEqual({ kind: 'exited', code: 3 });
  expect(place.given).toEqual([join(place.data_folder, 'work')]);
  for (const resource of ['jobs', 'pods', 'secrets'] as const)
    await expect.poll(() => place.server.store.list(resource)).toEqual([]);
});

test('when a command runs, then it sees its parts of our data, and no job has its secrets', async () => {
  await using place = await openPlace();
  const running = place.start('sleep 60');
  await expect.poll(() => place.server.store.list('pods').length).toBe(1);
  const [job] = place.server.store.list('jobs') as unknown as Job[];
  expect(JSON.stringify(job)).not.toContain('the token');
  assert(job !== undefined);
  const { spec } = job.spec.template;
  expect(JSON.stringify(spec.affinity)).toContain('"values":["node-1"]');
  expect(spec.containers[0]?.volumeMounts).toEqual([
    { name: 'data', mountPath: join(place.data_folder, 'cache'), subPath: 'cache', readOnly: true },
    { name: 'data', mountPath: join(place.data_folder, 'work'), subPath: 'work', readOnly: false },
    { name: 'data', mountPath: '/tmp', subPath: 'home', readOnly: false },
  ]);
  running.kill();
  expect(await running.ended).toEqual({ kind: 'killed', signal: 'SIGKILL' });
  await expect.poll(() => place.server.store.list('pods')).toEqual([]);
});

test('when the API server is away, then the command is for another time', async () => {
  await using place = await openPlace();
  place.server.faults.push({ on: /^POST .*\/jobs/, does: 'cut', times: 5 });
  await expect(place.start('true').ended).rejects.toMatchObject({ name: 'EngineAway' });
});

test.each([
  new FakeRefusal(409, 'Conflict', { message: 'Operation cannot be fulfilled on resourcequotas "all"' }),
  new FakeRefusal(410, 'Expired', { message: 'too old' }),
  new FakeRefusal(429, 'TooManyRequests', { message: 'later' }),
  new FakeRefusal(500, 'InternalError', { message: 'etcdserver: leader changed' }),
  new FakeRefusal(504, 'Timeout', { message: 'too long' }),
])('when the API server answers $status, then the command is for another time', async (does) => {
  await using place = await openPlace();
  place.server.faults.push({ on: /^POST .*\/jobs/, does, times: 5 });
  await expect(place.start('true').ended).rejects.toMatchObject({ name: 'EngineAway' });
});

test('when a webhook denies a job, then that is the end of its command, in words', async () => {
  await using place = await openPlace();
  const message = 'admission webhook "no.example.com" denied the request: not here';
  const does = new FakeRefusal(403, 'Forbidden', { message });
  place.server.faults.push({ on: /^POST .*\/jobs/, does });
  expect(await place.start('true').ended).toMatchObject({ kind: 'refused', code: 'webhook_denied' });
});

test('when a quota is full, then that is told, and the command begins once there is room', async () => {
  await using place = await openPlace();
  const message =
    'secrets "one" is forbidden: exceeded quota: all, requested: secrets=1, used: secrets=2, limited: secrets=2';
  place.server.faults.push({ on: /^POST .*\/secrets/, does: new FakeRefusal(403, 'Forbidden', { message }) });
  const told: (string | undefined)[] = [];
  const running = place.start('exit 3', (hindrance) => told.push(hindrance?.code));
  expect(await running.ended).toEqual({ kind: 'exited', code: 3 });
  expect(told).toEqual(['quota_exceeded', undefined]);
});
