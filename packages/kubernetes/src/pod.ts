/** A pod as it is written. */
export interface PodSpec {
  readonly containers: readonly PodContainer[];
  readonly initContainers?: readonly PodContainer[];
  readonly volumes?: readonly Volume[];
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly imagePullSecrets?: readonly { readonly name: string }[];
  readonly securityContext?: object;
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: object;
  readonly tolerations?: readonly object[];
  readonly topologySpreadConstraints?: readonly object[];
  readonly priorityClassName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly enableServiceLinks?: boolean;
  readonly hostUsers?: boolean;
}

export interface PodContainer {
  readonly name: string;
  readonly image: string;
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly EnvironmentVariable[];
  readonly envFrom?: readonly object[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly resources?: {
    /** Quantities, such as `500m` of a processor or `256Mi` of memory. */
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly subPath?: string;
    readonly readOnly?: boolean;
  }[];
  readonly securityContext?: object;
  readonly livenessProbe?: object;
  readonly readinessProbe?: object;
  readonly startupProbe?: object;
  /** `Always` makes a sidecar of an init container. */
  readonly restartPolicy?: 'Always';
}

interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean };
    readonly configMapKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean };
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

/** One of the kinds that Kubernetes has stands beside its name. */
export type Volume = { readonly name: string } & Readonly<Record<string, unknown>>;

/** What became of a pod, as its node and the control plane report it. */
export interface PodStatus {
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  /** What happened to the pod as a whole, such as `Evicted`. */
  readonly reason?: string;
  readonly message?: string;
  readonly podIP?: string;
  readonly startTime?: string;
  readonly conditions?: readonly Condition[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

export interface ContainerStatus {
  readonly name: string;
  readonly image?: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  /** What ended last, while the container waits or runs again. */
  readonly lastState?: ContainerState;
}

/** One of the three is there. */
export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: ContainerEnd;
}

export interface ContainerEnd {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly finishedAt?: string;
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}
