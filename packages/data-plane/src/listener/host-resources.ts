import type { HostResources } from '@roadstead/agent-server';
import type { ResourceSpec } from '@roadstead/contracts/control-plane';
import type { DatabaseKind, DatabaseResources } from '../databases/databases.ts';

/** What a ResourceSpec means for the hosts of a revision, after everything that is derived is in it. Pure. */
type Resources = ResourceSpec | null;

/** Graph hosts are the queue. */
export const ofHosts = (spec: Resources): HostResources =>
  spec === null
    ? {}
    : {
        memory_mb: positive(spec.queue_memory_limit_mb),
        cpus: spec.queue_cpu_limit ?? undefined,
        min_hosts: spec.queue_min_scale ?? undefined,
        max_hosts: positive(spec.queue_max_scale),
        storage_bytes: bytesOf(positive(spec.db_storage_gi)),
      };

/** What the deployment's database gets. */
export const ofDatabase = (spec: Resources): DatabaseResources =>
  spec === null
    ? {}
    : {
        connections: positive(spec.db_max_connections),
        storage_gi: positive(spec.db_storage_gi),
        cpus: positive(spec.db_cpu),
        cpu_limit: positive(spec.db_cpu_limit),
        memory_mb: positive(spec.db_memory_mb),
        memory_limit_mb: positive(spec.db_memory_limit_mb),
      };

/** What is kept free for a host is said of the queue, too. */
export const ofQueue = (spec: Resources) => ({
  ...spec,
  cpu: spec?.queue_cpu,
  memory_mb: spec?.queue_memory_mb,
});

/** A server has no queue. */
export const ofServers = (spec: Resources): HostResources =>
  spec === null
    ? {}
    : {
        memory_mb: positive(spec.memory_limit_mb),
        cpus: spec.cpu_limit ?? undefined,
        min_hosts: spec.min_scale ?? undefined,
        max_hosts: positive(spec.max_scale),
      };

/** A limit of nothing is none. */
const positive = (value: number | null | undefined) => (value === null || value === 0 ? undefined : value);

const bytesOf = (gibibytes: number | undefined) =>
  gibibytes === undefined ? undefined : gibibytes * 2 ** 30;

type Reasons = readonly (readonly [names: RegExp, why: string])[];

/** The fields without an effect, whatever runs: the parts of others are none here. */
const ALWAYS: Reasons = [[/^cache_/, 'A deployment has no cache of its own.']];

const OF_A_SERVER = /^db_(?:cpu|memory)(?:_|$)/;

/** Likewise, by where the database of the deployment is. */
const OF_DATABASES: Readonly<Record<DatabaseKind, Reasons>> = {
  shared: [[OF_A_SERVER, 'All deployments share a database server.']],
  kept: [
    [
      OF_A_SERVER,
      'The deployment keeps the database that it has on the server of all: it is older than database servers for each.',
    ],
  ],
  own: [],
};

/** Those that the rows above leave. */
const OF_SERVERS: Reasons = [
  [/^db_(?:storage_gi|max_connections)$/, 'The image is a server of HTTP, which gets no database.'],
];

interface Effects {
  readonly is_server: boolean;
  readonly database: DatabaseKind;
}

/** What of a spec has no effect, a sentence for each part of a deployment, which names the fields. */
export function withoutEffect(spec: Resources, { is_server, database }: Effects): string[] {
  const given = Object.entries(spec ?? {}).flatMap(([field, value]) => (value == null ? [] : field));
  const reasons = [...ALWAYS, ...OF_DATABASES[database], ...(is_server ? OF_SERVERS : [])];
  return reasons.flatMap(([names, why]) => {
    const fields = given.filter((field) => names.test(field));
    return fields.length === 0 ? [] : `Without effect here: ${fields.join(', ')}. ${why}`;
  });
}

/** What one machine has for all of its deployments. */
export interface Machine {
  readonly memory_mb: number;
  readonly cpus: number;
}

/** Below this no program of a graph or a server starts. */
const LEAST_MB = 64;
const MOST_HOSTS = 32;

/** As much of it as a deployment gets. In a cluster that is for the cluster to say; a machine gives it half of its memory for a container, and no more cores than it has. */
export function withinMachine(resources: HostResources, machine: Machine | undefined): HostResources {
  const { memory_mb, cpus } = machine ?? { memory_mb: Infinity, cpus: Infinity };
  const bounds = {
    memory_mb: [LEAST_MB, Math.floor(memory_mb / 2)],
    cpus: [0, cpus],
    min_hosts: [0, MOST_HOSTS],
    max_hosts: [1, MOST_HOSTS],
  } as const;
  const held = Object.entries(bounds).map(([name, [least, most]]) => {
    const value = resources[name as keyof HostResources];
    return [name, value === undefined ? undefined : Math.min(Math.max(value, least), most)] as const;
  });
  return { ...resources, ...Object.fromEntries(held) };
}
