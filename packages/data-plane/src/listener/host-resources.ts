import type { HostResources } from '@roadstead/agent-server';
import type { ResourceSpec } from '@roadstead/contracts/control-plane';

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
        database_connections: positive(spec.db_max_connections),
        storage_bytes: bytesOf(positive(spec.db_storage_gi)),
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

/** The fields without an effect, whatever runs: everybody's data is on one database server, and the parts of others are none here. */
const ALWAYS = [
  [/^cache_/, 'A deployment has no cache of its own.'],
  [/^db_(?:cpu|memory)(?:_|$)/, 'All deployments share a database server.'],
] as const;

const OF_SERVERS = [
  [/^db_(?:storage_gi|max_connections)$/, 'The image is a server of HTTP, which gets no database.'],
] as const;

/** What of a spec has no effect, a sentence for each part of a deployment, which names the fields. */
export function withoutEffect(spec: Resources, { is_server }: { readonly is_server: boolean }): string[] {
  const given = Object.entries(spec ?? {}).flatMap(([field, value]) => (value == null ? [] : field));
  return [...ALWAYS, ...(is_server ? OF_SERVERS : [])].flatMap(([names, why]) => {
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
