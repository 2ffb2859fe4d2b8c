import type { Condition, PodSpec, PodStatus } from './pod.ts';

/**
 * Objects of the Kubernetes API, as far as they are read or written here: names and shapes are the API's own, and what is not
 * listed may be there all the same.
 * @see https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/
 */
export type Labels = Readonly<Record<string, string>>;

export interface ObjectMeta {
  readonly name?: string;
  /** The beginning of a name that the API server completes, in place of `name`. */
  readonly generateName?: string;
  readonly namespace?: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly uid?: string;
  /** Opaque: changes with each write of the object. */
  readonly resourceVersion?: string;
  /** Grows with each change of the specification. */
  readonly generation?: number;
  /** RFC 3339, by whole seconds. */
  readonly creationTimestamp?: string;
  /** When it was asked to end; it is still there. */
  readonly deletionTimestamp?: string;
}

/** What an object goes with: it is removed after its owner. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface KubernetesObject {
  readonly metadata: ObjectMeta;
}

/** An object that the API server answered: what it fills in is there. */
export type StoredObject<T extends KubernetesObject> = T & {
  readonly metadata: ObjectMeta & {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
};

export interface LabelSelector {
  readonly matchLabels?: Labels;
}

export interface Pod extends KubernetesObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

interface PodTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec: PodSpec;
}

export interface Deployment extends KubernetesObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
    readonly revisionHistoryLimit?: number;
    readonly progressDeadlineSeconds?: number;
    readonly strategy?: { readonly type: 'Recreate' | 'RollingUpdate'; readonly rollingUpdate?: object };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly Condition[];
  };
}

export interface Job extends KubernetesObject {
  readonly spec: {
    readonly suspend?: boolean;
    readonly backoffLimit?: number;
    readonly activeDeadlineSeconds?: number;
    readonly ttlSecondsAfterFinished?: number;
    readonly template: PodTemplate;
  };
  readonly status?: {
    readonly active?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly conditions?: readonly Condition[];
  };
}

export interface Secret extends KubernetesObject {
  readonly type?: string;
  readonly immutable?: boolean;
  /** Base64. */
  readonly data?: Labels;
  /** Plain text, which the API server stores as `data` and never answers. */
  readonly stringData?: Labels;
}

export interface ConfigMap extends KubernetesObject {
  readonly immutable?: boolean;
  readonly data?: Labels;
}

export interface Service extends KubernetesObject {
  readonly spec: {
    readonly type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer';
    readonly clusterIP?: string;
    readonly selector?: Labels;
    readonly ports?: readonly {
      readonly name?: string;
      readonly port: number;
      readonly targetPort?: number | string;
      readonly protocol?: 'TCP' | 'UDP';
    }[];
  };
}

export interface ServiceAccount extends KubernetesObject {
  readonly imagePullSecrets?: readonly { readonly name: string }[];
  readonly automountServiceAccountToken?: boolean;
}

export interface NetworkPolicy extends KubernetesObject {
  readonly spec: {
    readonly podSelector: LabelSelector;
    readonly policyTypes?: readonly ('Ingress' | 'Egress')[];
    readonly ingress?: readonly object[];
    readonly egress?: readonly object[];
  };
}

export interface PodDisruptionBudget extends KubernetesObject {
  readonly spec: {
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly selector: LabelSelector;
  };
}

/** What a component of the cluster says of an object. Repeated ones are one event whose `count` grows. */
export interface KubernetesEvent extends KubernetesObject {
  readonly involvedObject: {
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    /** Which part of it, such as `spec.containers{host}`. */
    readonly fieldPath?: string;
  };
  readonly reason?: string;
  readonly message?: string;
  readonly type?: string;
  readonly count?: number;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
}

export interface Namespace extends KubernetesObject {
  readonly status?: { readonly phase?: 'Active' | 'Terminating' };
}

/**
 * A PostgreSQL that the operator CloudNativePG runs, where the cluster has that. All of these fields are there from its version 1.17 on.
 * @see https://cloudnative-pg.io/documentation/current/cloudnative-pg.v1/
 */
export interface DatabaseCluster extends KubernetesObject {
  readonly spec: {
    readonly instances: number;
    readonly bootstrap?: { readonly initdb?: { readonly database: string; readonly owner: string } };
    readonly postgresql?: { readonly parameters?: Labels };
    readonly resources?: { readonly requests?: Labels; readonly limits?: Labels };
    readonly storage?: { readonly size?: string; readonly storageClass?: string };
  };
  readonly status?: {
    /** A sentence of the operator. */
    readonly phase?: string;
    readonly phaseReason?: string;
    readonly conditions?: readonly Condition[];
  };
}

/** The resources that are used, by their names in the API. */
export interface Resources {
  readonly clusters: DatabaseCluster;
  readonly configmaps: ConfigMap;
  readonly deployments: Deployment;
  readonly events: KubernetesEvent;
  readonly jobs: Job;
  readonly namespaces: Namespace;
  readonly networkpolicies: NetworkPolicy;
  readonly poddisruptionbudgets: PodDisruptionBudget;
  readonly pods: Pod;
  readonly secrets: Secret;
  readonly serviceaccounts: ServiceAccount;
  readonly services: Service;
}

export type ResourceName = keyof Resources;
