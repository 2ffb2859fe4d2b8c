import { ResourceSpec } from '@roadstead/contracts/control-plane';
import { expect, test } from 'vitest';
import { ofDatabase, ofHosts, ofServers, withinMachine, withoutEffect } from './host-resources.ts';

const spec = ResourceSpec.parse({
  min_scale: 1,
  max_scale: 3,
  cpu_limit: 2,
  memory_limit_mb: 512,
  queue_min_scale: 0,
  queue_max_scale: 4,
  queue_cpu_limit: 1,
  queue_memory_limit_mb: 1024,
  cache_cpu: 1,
  db_cpu: 1,
  db_memory_limit_mb: 512,
  db_storage_gi: 5,
  db_max_connections: 20,
});

test('when a spec is for graph hosts, then its queue counts; for a server its plain fields', () => {
  const storage_bytes = 5 * 2 ** 30;
  expect(ofHosts(spec)).toEqual({ memory_mb: 1024, cpus: 1, min_hosts: 0, max_hosts: 4, storage_bytes });
  expect(ofServers(spec)).toEqual({ memory_mb: 512, cpus: 2, min_hosts: 1, max_hosts: 3 });
});

test('when a spec says nothing, or a limit of nothing, then the settings hold', () => {
  const nothing = ResourceSpec.parse({ queue_max_scale: 0, db_storage_gi: 0, db_max_connections: 0 });
  for (const one of [null, nothing])
    expect(
      Object.values({ ...ofHosts(one), ...ofDatabase(one) }).filter((value) => value !== undefined),
    ).toEqual([]);
});

test('when a spec speaks of the database, then that is what the database gets', () => {
  expect(ofDatabase(spec)).toEqual({ connections: 20, storage_gi: 5, cpus: 1, memory_limit_mb: 512 });
});

test('when a spec asks for what has no effect here, then each field is named', () => {
  const everywhere = [
    'Without effect here: cache_cpu. A deployment has no cache of its own.',
    'Without effect here: db_cpu, db_memory_limit_mb. All deployments share a database server.',
  ];
  const database = 'shared';
  expect(withoutEffect(null, { is_server: true, database })).toEqual([]);
  expect(withoutEffect(spec, { is_server: false, database })).toEqual(everywhere);
  expect(withoutEffect(spec, { is_server: true, database })).toEqual([
    ...everywhere,
    'Without effect here: db_storage_gi, db_max_connections. The image is a server of HTTP, which gets no database.',
  ]);
});

test('when a deployment has a database server of its own, then fields of that are not named', () => {
  const of_database = (database: 'own' | 'kept') => withoutEffect(spec, { is_server: false, database });
  expect(of_database('own')).toEqual([
    'Without effect here: cache_cpu. A deployment has no cache of its own.',
  ]);
  expect(of_database('kept')[1]).toMatch(
    /^Without effect here: db_cpu, db_memory_limit_mb\. .*keeps the database/,
  );
});

test('when a spec asks for more than a machine gives, or too little, then it is held to that', () => {
  const machine = { memory_mb: 8000, cpus: 4 };
  const huge = { memory_mb: 1_000_000, cpus: 16, min_hosts: 1000, max_hosts: 1000 };
  expect(withinMachine(huge, machine)).toEqual({ memory_mb: 4000, cpus: 4, min_hosts: 32, max_hosts: 32 });
  expect(withinMachine({ storage_bytes: 1 }, machine)).toEqual({ storage_bytes: 1 });
  expect(withinMachine({ memory_mb: 1, cpus: 0.5 }, machine)).toEqual({ memory_mb: 64, cpus: 0.5 });
});
