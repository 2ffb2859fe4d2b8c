import { randomUUID } from 'node:crypto';
import type { Deployment, Job, Pod } from '@roadstead/kubernetes';
import type { FakeApiServer } from '@roadstead/kubernetes/testing';

type Template = Deployment['spec']['template'];
type Objects = Pick<FakeApiServer, 'objects'>['objects'];
type StoredThing = ReturnType<Objects['read']>;

/** What controllers of a cluster do: a deployment has as many pods as it wants, and a job has one. */
export function playControllers(server: FakeApiServer): void {
  server.store.followers.add(({ resource }) => {
    if (['deployments', 'jobs', 'pods'].includes(resource)) queueMicrotask(() => reconcile(server));
  });
}

function reconcile(server: FakeApiServer): void {
  for (const deployment of server.store.list('deployments')) {
    const { replicas = 1, template } = (deployment as unknown as Deployment).spec;
    const pods = podsOf(server, deployment);
    for (let count = pods.length; count < replicas; count += 1) makePod(server, deployment, template);
    for (const pod of pods.toSorted(byCost).slice(0, Math.max(0, pods.length - replicas)))
      server.objects.delete(placeOf(pod), { gracePeriodSeconds: 30 });
  }
  for (const job of server.store.list('jobs')) {
    const { suspend = false, template } = (job as unknown as Job).spec;
    if (!suspend && podsOf(server, job).length === 0) makePod(server, job, template);
  }
}

const podsOf = (server: FakeApiServer, { metadata }: StoredThing) =>
  server.store
    .list('pods')
    .filter((pod) => pod.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));

const costOf = (pod: StoredThing) =>
  Number((pod as unknown as Pod).metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0);
const byCost = (one: StoredThing, other: StoredThing) => costOf(one) - costOf(other);

const placeOf = ({ metadata: { name, namespace } }: StoredThing) =>
  ({ resource: 'pods', name, namespace, subresource: undefined }) as const;

// oxlint-disable-next-line roadstead/two-positional -- where, for whom, and like what
function makePod(server: FakeApiServer, owner: StoredThing, template: Template): void {
  const name = `${owner.metadata.name}-${randomUUID().slice(0, 5)}`;
  const { namespace, uid } = owner.metadata;
  const ownerReferences = [
    { apiVersion: 'apps/v1', kind: 'Owner', name: owner.metadata.name, uid, controller: true },
  ];
  const body = { metadata: { ...template.metadata, name, namespace, ownerReferences }, spec: template.spec };
  server.objects.create({ resource: 'pods', namespace, name: undefined, subresource: undefined } as never, {
    body,
    manager: 'controllers',
  });
}
