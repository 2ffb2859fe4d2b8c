import { createHmac } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Log, Problem, randomToken } from '@roadstead/kit';
import { type Databases, openSharedDatabases } from '../databases/databases.ts';
import type { AgentPlaces } from '../pods/agent-places.ts';
import { openClusterDatabases } from '../pods/cluster-databases.ts';

interface DatabasesOptions {
  readonly config: {
    readonly agents_database_url: string;
    readonly agents_databases: 'shared' | 'cloudnativepg';
    readonly database_gi: number;
    readonly database_storage_class: string | undefined;
    readonly data_folder: string;
    readonly listener_id: string;
    readonly listener_key: string;
    readonly instance: string | undefined;
  };
  readonly places: AgentPlaces | undefined;
  readonly log: Log;
}

/**
 * Opens the databases of deployments: where the operator wants them.
 * @throws Problem `invalid` where that is in a cluster, and there is none
 */
export async function openDatabases({ config, places, log }: DatabasesOptions): Promise<Databases> {
  const { agents_database_url: admin_url } = config;
  if (config.agents_databases === 'cloudnativepg' && places === undefined)
    throw new Problem(
      'invalid',
      'ROADSTEAD_AGENTS_DATABASES is cloudnativepg, and ROADSTEAD_COMPUTE is not cluster.',
      { hint: 'Databases by CloudNativePG are for agents in a cluster; leave it unset elsewhere.' },
    );
  const shared = openSharedDatabases({
    admin_url,
    password_key: await passwordKeyOf(config),
  });
  if (config.agents_databases === 'shared' || places === undefined) return shared;
  return openClusterDatabases({
    shared,
    places,
    owner: config.listener_id,
    default_gi: config.database_gi,
    storage_class: config.database_storage_class,
    log,
  });
}

/** Instances of one listener share it: a deployment has one password wherever it is. Alone, a data plane has a key of its own. */
async function passwordKeyOf({
  instance,
  listener_key,
  data_folder,
}: DatabasesOptions['config']): Promise<string> {
  if (instance === undefined) return ownKey(join(data_folder, 'databases-key'));
  return createHmac('sha256', listener_key).update('passwords of databases').digest('hex');
}

/** A random key of ours, created once. */
async function ownKey(path: string): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, randomToken(32), { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  return readFile(path, 'utf8');
}
