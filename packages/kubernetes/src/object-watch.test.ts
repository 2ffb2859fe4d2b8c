import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { ConfigMap, ObjectChange } from './index.ts';
import { KubernetesClient } from './kubernetes-client.ts';
import { FakeApiServer, FakeRefusal } from './testing/index.ts';

const server = useFixturePerTest(() => FakeApiServer.open());
const client = useFixturePerTest(async () => new KubernetesClient(server().access));

const times = { first_pause_ms: 20, longest_pause_ms: 100 };

/** Watches all ConfigMaps, and notes what is told. */
async function watched(more: { readonly silent_ms?: number } = {}) {
  const changes: string[] = [];
  const aways: (Error | undefined)[] = [];
  const watch = client().watch('configmaps', {
    times: { ...times, ...more },
    onChange: ({ type, object }: ObjectChange<ConfigMap>) => changes.push(`${type} ${object.metadata.name}`),
    onAway: (error) => aways.push(error),
  });
  await watch.ready;
  await expect.poll(() => server().watches).toBe(1);
  return { watch, changes, aways, [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose]() };
}

const make = (name: string) => client().create('configmaps', { metadata: { name } });
const lists = () => server().requests.filter((line) => /^GET .*configmaps\?limit/.test(line)).length;
/** Keeps watches from beginning, and ends the one there is. */
function cutOff(times = 1) {
  server().faults.push({ on: /watch=true/, does: 'cut', times });
  server().endWatches('cut');
}

test('when a watch breaks off, then it goes on where it was, and nothing is missed', async () => {
  await using one = await watched();
  await make('a');
  cutOff(3);
  await make('b');
  await expect.poll(() => one.changes).toEqual(['added a', 'added b']);
  expect(lists()).toBe(1);
  expect(one.aways[0]).toMatchObject({ code: 'cluster_away' });
  expect(one.aways.at(-1)).toBeUndefined();
});

test('when the moment of a watch is forgotten, then all are listed again and compared', async () => {
  await make('stays');
  await make('goes');
  await make('changes');
  await make('again');
  await using one = await watched();
  one.changes.length = 0;
  cutOff(2);
  await client().delete('configmaps', { name: 'goes' });
  await client().patch('configmaps', { name: 'changes', patch: { data: { a: '1' } } });
  await client().delete('configmaps', { name: 'again' });
  await make('again');
  await make('comes');
  server().store.forget();
  await expect
    .poll(() => one.changes.toSorted())
    .toEqual(['added again', 'added comes', 'changed changes', 'removed again', 'removed goes']);
  expect(lists()).toBe(2);
  expect([...one.watch.objects.keys()].toSorted()).toEqual(
    ['again', 'changes', 'comes', 'stays'].map((name) => `default/${name}`),
  );
});

test('when the server refuses a watch as too old, then all are listed again', async () => {
  await using one = await watched();
  const gone = new FakeRefusal(410, 'Expired', { message: 'too old resource version' });
  server().faults.push({ on: /watch=true/, does: gone });
  server().endWatches('cut');
  await expect.poll(lists).toBe(2);
  await make('a');
  await expect.poll(() => one.changes).toEqual(['added a']);
});

test('when a bookmark has come, then what was forgotten before it does not matter', async () => {
  await using one = await watched();
  await client().create('secrets', { metadata: { name: 'elsewhere' } });
  server().bookmark();
  server().store.forget();
  await make('a');
  await expect.poll(() => one.changes).toEqual(['added a']);
  server().endWatches('cut');
  await make('b');
  await expect.poll(() => one.changes).toEqual(['added a', 'added b']);
  expect(lists()).toBe(1);
});

test('when a watch is silent for too long, then another one begins', async () => {
  server().faults.push({ on: /watch=true/, does: 'hang' });
  const changes: string[] = [];
  await using watch = client().watch('configmaps', {
    times: { ...times, silent_ms: 50 },
    onChange: ({ object }) => changes.push(object.metadata.name),
  });
  await watch.ready;
  await make('a');
  await expect.poll(() => changes).toEqual(['a']);
});

test('when the server is away at first, then it is ready once it is there', async () => {
  const does = new FakeRefusal(503, 'ServiceUnavailable', { message: 'etcd' });
  server().faults.push({ on: /configmaps/, does, times: 3 });
  await using one = await watched();
  expect(one.aways.filter((error) => error !== undefined)).toHaveLength(3);
});

test('when it may not be watched, then that is told, and tried again', async () => {
  const does = new FakeRefusal(403, 'Forbidden', { message: 'may not' });
  server().faults.push({ on: /configmaps/, does });
  await using one = await watched();
  expect(one.aways[0]).toMatchObject({ name: 'KubernetesRefusal', status: 403 });
});

test('when it is closed before all are known, then nobody waits for ever', async () => {
  server().faults.push({ on: /configmaps/, does: 'hang' });
  const watch = client().watch('configmaps', { times });
  await watch[Symbol.asyncDispose]();
  await expect(watch.ready).rejects.toMatchObject({ kind: 'unavailable' });
});
