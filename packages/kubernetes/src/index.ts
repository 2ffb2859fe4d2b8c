export type { ClusterAccess, Credential } from './cluster-access.ts';
export { findCluster } from './find-cluster.ts';
export { KubernetesClient, type ObjectName } from './kubernetes-client.ts';
export type { ListOptions } from './object-list.ts';
export { keyOf, type ObjectChange, type ObjectMap, type WatchOptions } from './object-watch.ts';
export type {
  ContainerEnd,
  ContainerState,
  ContainerStatus,
  PodContainer,
  PodSpec,
  PodStatus,
  Volume,
} from './pod.ts';
export { isClusterAway, KubernetesRefusal } from './refusal.ts';
export type * from './resources.ts';
