import type { DatabaseCluster } from '@roadstead/kubernetes';
import { databaseNameOf, type DatabaseResources, heldConnections } from '../databases/databases.ts';
import { objectNameOf, OWNER_LABEL } from './pod-names.ts';

/** A deployment whose database is a server of its own. */
export interface DatabaseNames {
  readonly deployment_id: string;
  /** The name of the deployment, for people. */
  readonly name: string;
  /** Which data plane it belongs to, in each of its lives. */
  readonly owner: string;
}

export interface DatabaseServerOptions extends DatabaseNames {
  /** The name of the object, which Secrets and Services of it begin with. */
  readonly object_name: string;
  readonly resources: DatabaseResources;
  /** GiB of the volume where the deployment names none. */
  readonly default_gi: number;
  readonly storage_class: string | undefined;
  /** What is there already. */
  readonly live: DatabaseCluster | undefined;
}

const DEPLOYMENT_LABEL = 'roadstead.dev/deployment-id';

/** Finds it, whatever its name. */
export const databaseLabels = ({ deployment_id, owner }: Omit<DatabaseNames, 'name'>) => ({
  [DEPLOYMENT_LABEL]: deployment_id,
  [OWNER_LABEL]: owner,
});

/** PostgreSQL keeps these for superusers, such as the operator's own. */
const RESERVED_CONNECTIONS = 3;
const USUAL_CONNECTIONS = 100 - RESERVED_CONNECTIONS;

/** Room beside the quota for the log that PostgreSQL writes ahead (`max_wal_size` is 1 GB) and what it begins with. */
const BESIDE_GI = 2;

/**
 * The database server of a deployment. Nothing owns it: what else a deployment has in the cluster goes as its hosts stop. Once it is there its
 * volume only grows, as the operator has it, and its class stays.
 */
export function databaseServer(options: DatabaseServerOptions): DatabaseCluster {
  const { object_name, deployment_id, name, resources, storage_class, live } = options;
  const database = databaseNameOf(deployment_id);
  const connections = heldConnections(resources.connections) ?? USUAL_CONNECTIONS;
  const { storageClass = storage_class } = live?.spec.storage ?? {};
  return {
    metadata: {
      name: object_name,
      labels: {
        'app.kubernetes.io/name': 'roadstead-agent',
        'app.kubernetes.io/component': 'database',
        'app.kubernetes.io/part-of': 'roadstead',
        'app.kubernetes.io/managed-by': 'roadstead',
        'app.kubernetes.io/instance': objectNameOf({ name }),
        ...databaseLabels(options),
      },
    },
    spec: {
      instances: 1,
      // The operator makes a role that may log in and owns this database, and may do nothing else.
      bootstrap: { initdb: { database, owner: database } },
      postgresql: { parameters: { max_connections: String(connections + RESERVED_CONNECTIONS) } },
      resources: resourcesOf(resources),
      storage: {
        size: sizeOf(options),
        ...(storageClass === undefined ? {} : { storageClass }),
      },
    },
  };
}

/** Whether it has all that it would be given. The operator adds to the rest. */
export const isAsWanted = ({ spec: live }: DatabaseCluster, { spec: wanted }: DatabaseCluster): boolean =>
  live.storage?.size === wanted.storage?.size &&
  live.postgresql?.parameters?.['max_connections'] === wanted.postgresql?.parameters?.['max_connections'] &&
  (['requests', 'limits'] as const).every((part) => {
    const [one, other] = [live.resources?.[part] ?? {}, wanted.resources?.[part] ?? {}];
    return ['cpu', 'memory'].every((name) => one[name] === other[name]);
  });

function resourcesOf({ cpus, cpu_limit, memory_mb, memory_limit_mb }: DatabaseResources) {
  const part = (cpu: number | undefined, memory: number | undefined) => ({
    ...(cpu === undefined ? {} : { cpu: cpuOf(cpu) }),
    ...(memory === undefined ? {} : { memory: memoryOf(memory) }),
  });
  return { requests: part(cpus, memory_mb), limits: part(cpu_limit, memory_limit_mb) };
}

/** As the webhook of the operator writes them: so what is wanted is found again as it is. */
const cpuOf = (cpus: number) => (Number.isInteger(cpus) ? String(cpus) : `${Math.round(cpus * 1000)}m`);

function memoryOf(mebibytes: number): string {
  const units = ['Mi', 'Gi', 'Ti'];
  let [amount, unit] = [mebibytes, 0];
  for (; amount % 1024 === 0 && unit < units.length - 1; unit += 1) amount /= 1024;
  return `${amount}${units[unit]}`;
}

function sizeOf({ resources: { storage_gi }, default_gi, live }: DatabaseServerOptions): string {
  const wanted_gi = storage_gi === undefined ? default_gi : storage_gi + BESIDE_GI;
  const { size } = live?.spec.storage ?? {};
  const [, live_gi] = /^(\d+)Gi$/.exec(size ?? '') ?? [];
  // Somebody else has set another unit: it is theirs.
  if (size !== undefined && live_gi === undefined) return size;
  return `${Math.max(wanted_gi, Number(live_gi ?? 0))}Gi`;
}
