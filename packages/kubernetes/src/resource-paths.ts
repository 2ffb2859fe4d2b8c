import type { ResourceName } from './resources.ts';

interface ApiResource {
  readonly apiVersion: string;
  readonly kind: string;
  /** Whether its objects stand in namespaces; all but namespaces themselves do. */
  readonly namespaced: boolean;
}

const inNamespaces = (apiVersion: string, kind: string): ApiResource => ({
  apiVersion,
  kind,
  namespaced: true,
});

/** Where each resource stands in the API. */
export const apiResources: Readonly<Record<ResourceName, ApiResource>> = {
  clusters: inNamespaces('postgresql.cnpg.io/v1', 'Cluster'),
  configmaps: inNamespaces('v1', 'ConfigMap'),
  deployments: inNamespaces('apps/v1', 'Deployment'),
  events: inNamespaces('v1', 'Event'),
  jobs: inNamespaces('batch/v1', 'Job'),
  namespaces: { apiVersion: 'v1', kind: 'Namespace', namespaced: false },
  networkpolicies: inNamespaces('networking.k8s.io/v1', 'NetworkPolicy'),
  poddisruptionbudgets: inNamespaces('policy/v1', 'PodDisruptionBudget'),
  pods: inNamespaces('v1', 'Pod'),
  secrets: inNamespaces('v1', 'Secret'),
  serviceaccounts: inNamespaces('v1', 'ServiceAccount'),
  services: inNamespaces('v1', 'Service'),
};

/** The core of the API has a path of its own; its groups have another. */
export const pathOfApi = (apiVersion: string): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

interface Place {
  /** Unset, all namespaces. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The path of a resource's objects, of one of them, or of a part of one. */
export function pathOf(resource: ResourceName, { namespace, name, subresource }: Place): string {
  const { apiVersion, namespaced } = apiResources[resource];
  const within = namespaced && namespace !== undefined ? ['namespaces', namespace] : [];
  const parts = [...within, resource, name, subresource].filter((part) => part !== undefined);
  return [pathOfApi(apiVersion), ...parts.map(encodeURIComponent)].join('/');
}

/** Labels that all must be there, as a query has them. */
export const selectorOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
