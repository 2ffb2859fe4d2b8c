import { KubernetesClient } from '@roadstead/kubernetes';
import { FakeApiServer, FakeRefusal } from '@roadstead/kubernetes/testing';
import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { clusterTrouble, isPassing } from './cluster-trouble.ts';

const server = useFixturePerTest(() => FakeApiServer.open());

async function errorOf(does: FakeRefusal | 'cut'): Promise<unknown> {
  await using cluster = new KubernetesClient(server().access);
  server().faults.push({ on: /^PATCH /, does, times: 100 });
  return await cluster
    .apply('configmaps', { metadata: { name: 'one' } }, { force: true })
    .catch((error: unknown) => error);
}

test.each<[number, string, string, string]>([
  [409, 'Conflict', 'the object has been modified; please apply your changes', 'cluster_busy'],
  [409, 'Conflict', 'Operation cannot be fulfilled on resourcequotas "all"', 'cluster_busy'],
  [409, 'AlreadyExists', 'object is being deleted: deployments "one" already exists', 'cluster_busy'],
  [410, 'Expired', 'the provided continue parameter is too old', 'cluster_busy'],
  [429, 'TooManyRequests', 'too many requests, please try again later', 'cluster_away'],
  [500, 'InternalError', 'etcdserver: leader changed', 'cluster_away'],
  [500, 'InternalError', 'failed calling webhook "a.example.com": no endpoints', 'webhook_away'],
  [503, 'ServiceUnavailable', 'apiserver is shutting down', 'cluster_away'],
  [504, 'Timeout', 'request did not complete within the allotted timeout', 'cluster_away'],
])('when the API server answers %d %s (%s), then that passes', async (status, reason, message, code) => {
  const error = await errorOf(new FakeRefusal(status, reason, { message }));
  expect(isPassing(error)).toBe(true);
  expect(clusterTrouble(error)).toMatchObject({ code, passes: true });
});

test('when a connection to the API server breaks, then that passes', async () => {
  const error = await errorOf('cut');
  expect(isPassing(error)).toBe(true);
  expect(clusterTrouble(error)).toMatchObject({ code: 'cluster_away', passes: true });
});

test.each<[number, string, string, string]>([
  [403, 'Forbidden', 'admission webhook "no.example.com" denied the request: not here', 'webhook_denied'],
  [404, 'NotFound', 'namespaces "agents" not found', 'namespace_missing'],
  [422, 'Invalid', 'Deployment "one" is invalid: spec.selector: field is immutable', 'cluster_refused'],
])('when the API server answers %d %s (%s), then that stays', async (status, reason, message, code) => {
  const error = await errorOf(new FakeRefusal(status, reason, { message }));
  expect(isPassing(error)).toBe(false);
  expect(clusterTrouble(error)).toMatchObject({ code, passes: false });
});

test('when a quota is full, then it may pass, though the same is refused again', async () => {
  const message =
    'pods "one" is forbidden: exceeded quota: all, requested: pods=1, used: pods=2, limited: pods=2';
  const error = await errorOf(new FakeRefusal(403, 'Forbidden', { message }));
  expect(isPassing(error)).toBe(false);
  expect(clusterTrouble(error)).toMatchObject({ code: 'quota_exceeded', passes: true });
});
