import { z } from 'zod';
import { withOurKeys } from './aliases.ts';
import { JsonObject, WellFormedText } from '../values/well-formed-text.ts';

/** Kubernetes-shaped pieces and `ResourceSpec`; all apply to `external_image` only. */

const Free = JsonObject;
export const DnsLabel = WellFormedText.regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'must be a DNS label');
/** The name of an object that is there already. */
export const ObjectName = WellFormedText.max(253).regex(
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  'must be a DNS subdomain',
);
const Quantities = z.record(WellFormedText, WellFormedText).nullish();

export const ResourceRequirements = z
  .object({ limits: Quantities, requests: Quantities })
  .meta({ id: 'ResourceRequirements' });

export const EnvVar = z
  .object({
    name: WellFormedText.regex(/^[-._a-zA-Z][-._a-zA-Z0-9]*$/, 'must be a valid identifier'),
    value: WellFormedText.nullish(),
    valueFrom: Free.nullish(),
  })
  .meta({ id: 'EnvVar' });

export const Volume = z
  .object({
    name: DnsLabel,
    configMap: Free.nullish(),
    secret: Free.nullish(),
    emptyDir: Free.nullish(),
    persistentVolumeClaim: Free.nullish(),
    nfs: Free.nullish(),
    projected: Free.nullish(),
    downwardAPI: Free.nullish(),
    csi: Free.nullish(),
  })
  .meta({ id: 'Volume' });

export const VolumeMount = z
  .object({
    name: WellFormedText,
    mountPath: WellFormedText,
    subPath: WellFormedText.nullish(),
    mountPropagation: WellFormedText.nullish(),
    readOnly: z.boolean().nullish(),
    subPathExpr: WellFormedText.nullish(),
  })
  .meta({ id: 'VolumeMount' });
export type VolumeMount = z.output<typeof VolumeMount>;

export const Container = z
  .object({
    name: DnsLabel,
    image: WellFormedText.min(1),
    imagePullPolicy: z.enum(['Always', 'Never', 'IfNotPresent']).nullish(),
    command: z.array(WellFormedText).nullish(),
    args: z.array(WellFormedText).nullish(),
    workingDir: WellFormedText.nullish(),
    env: z.array(EnvVar).nullish(),
    envFrom: z.array(Free).nullish(),
    resources: ResourceRequirements.nullish(),
    volumeMounts: z.array(VolumeMount).nullish(),
    securityContext: Free.nullish(),
    restartPolicy: z.enum(['Always', 'OnFailure']).nullish(),
  })
  .meta({ id: 'Container' });
export type Container = z.output<typeof Container>;

/** Rounded to one decimal place. */
const rounded = (range: z.ZodNumber) => range.transform((value) => Math.round(value * 10) / 10).nullish();
const cores = (max: number) => rounded(z.number().min(0.1).max(max));
const count = z.number().int().min(0).nullish();
/** The specification reserves them; refused unless null. */
const reserved = z.number().nullish();

export const ResourceSpec = z
  .preprocess(
    withOurKeys,
    z.object({
      min_scale: count,
      max_scale: count,
      cpu: cores(8),
      cpu_limit: cores(16),
      memory_mb: count,
      memory_limit_mb: count,
      queue_min_scale: count,
      queue_max_scale: count,
      queue_cpu: cores(8),
      queue_cpu_limit: cores(16),
      queue_memory_mb: count,
      queue_memory_limit_mb: count,
      cache_cpu: cores(8),
      cache_cpu_limit: cores(16),
      cache_memory_mb: count,
      cache_memory_limit_mb: count,
      db_cpu: rounded(z.number().min(0)),
      db_cpu_limit: rounded(z.number().min(0)),
      db_memory_mb: count,
      db_memory_limit_mb: count,
      db_storage_gi: count,
      db_max_connections: count,
      labels: z.record(WellFormedText, WellFormedText).nullish(),
      annotations: z.record(WellFormedText, WellFormedText).nullish(),
      service_account_name: ObjectName.nullish(),
      image_pull_secrets: z
        .array(z.object({ name: ObjectName }).meta({ id: 'LocalObjectReference' }))
        .nullish(),
      volumes: z.array(Volume).nullish(),
      volume_mounts: z.array(VolumeMount).nullish(),
      init_containers: z.array(Container).nullish(),
      sidecars: z.array(Container).nullish(),
      orchestrator_cpu: reserved,
      orchestrator_cpu_limit: reserved,
      orchestrator_memory_mb: reserved,
      orchestrator_memory_limit_mb: reserved,
      orchestrator_min_scale: reserved,
      orchestrator_max_scale: reserved,
      executor_cpu: reserved,
      executor_cpu_limit: reserved,
      executor_memory_mb: reserved,
      executor_memory_limit_mb: reserved,
      executor_min_scale: reserved,
      executor_max_scale: reserved,
    }),
  )
  .meta({ id: 'ResourceSpec' });
export type ResourceSpec = z.output<typeof ResourceSpec>;

/** The connections that the agent server of a deployment keeps to its database at most. */
export const SERVER_CONNECTIONS = 7;

/** `db_max_connections` may not be lower: those of a server that was killed count until PostgreSQL has ended them. */
export const LEAST_CONNECTIONS = 2 * SERVER_CONNECTIONS;

/** What a deployment says of the pods of its image, beside their limits and their number. */
export type PodFields = Pick<
  ResourceSpec,
  | 'annotations'
  | 'service_account_name'
  | 'image_pull_secrets'
  | 'volumes'
  | 'volume_mounts'
  | 'init_containers'
  | 'sidecars'
> & {
  /** Cores and megabytes that are kept free for one. */
  readonly cpu?: number | null | undefined;
  readonly memory_mb?: number | null | undefined;
  readonly secret_references: readonly {
    /** The variable. */
    readonly name: string;
    readonly secret_name: string;
    readonly secret_key: string;
  }[];
};
