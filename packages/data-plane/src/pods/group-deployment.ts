import type { Deployment, OwnerReference, PodSpec } from '@roadstead/kubernetes';

/** What a deployment of Kubernetes is named, marked and owned by, and how many pods it has. */
export interface GroupDeployment {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly owner: OwnerReference;
  readonly replicas: number;
}

/** A deployment of Kubernetes whose pods are alike. It keeps none of its former states: a revision has one of its own. */
export const groupDeployment = (
  { name, labels, annotations, owner, replicas }: GroupDeployment,
  spec: PodSpec,
): Deployment => ({
  metadata: { name, labels, annotations, ownerReferences: [owner] },
  spec: {
    replicas,
    revisionHistoryLimit: 0,
    selector: { matchLabels: labels },
    template: { metadata: { labels, annotations }, spec },
  },
});
