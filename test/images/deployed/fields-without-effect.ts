/** The fields of a `resource_spec` that do nothing to a server, on one machine as in a cluster, and those that nobody may set. */

const none = (set: number) => ({ set, without_effect: true }) as const;
const reserved = { refused: 1 } as const;

/** A server has no graph hosts, no cache and no database. */
export const fields_without_effect = {
  queue_min_scale: { set: 0 },
  queue_max_scale: { set: 1 },
  queue_cpu: { set: 0.1 },
  queue_cpu_limit: { set: 0.2 },
  queue_memory_mb: { set: 128 },
  queue_memory_limit_mb: { set: 256 },
  cache_cpu: none(0.1),
  cache_cpu_limit: none(0.2),
  cache_memory_mb: none(64),
  cache_memory_limit_mb: none(128),
  db_cpu: none(0.1),
  db_cpu_limit: none(0.2),
  db_memory_mb: none(64),
  db_memory_limit_mb: none(128),
  db_storage_gi: none(1),
  db_max_connections: none(20),
} as const;

export const reserved_fields = {
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
} as const;
