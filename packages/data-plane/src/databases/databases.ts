import { createHmac } from 'node:crypto';
import type { StartHindrance } from '@roadstead/agent-server';
import { LEAST_CONNECTIONS } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import {
  type Database,
  databaseExists,
  dropDatabase,
  dropRole,
  ensureDatabase,
  ensureRole,
  findNote,
  keepNote,
  limitRole,
  openDatabase,
  withDatabaseName,
} from '@roadstead/postgres';

/** The most that a server of PostgreSQL can be set to. */
const MOST_CONNECTIONS = 262_143;

/** What a deployment gives its database; unset, there is no limit or the operator's default. */
export interface DatabaseResources {
  readonly connections?: number | undefined;
  /** These are for a server of its own alone. */
  readonly storage_gi?: number | undefined;
  readonly cpus?: number | undefined;
  readonly cpu_limit?: number | undefined;
  readonly memory_mb?: number | undefined;
  readonly memory_limit_mb?: number | undefined;
}

/** A database that may have to be made. */
export interface DatabaseOrder {
  /** The name of the deployment, for people. */
  readonly name: string;
  readonly resources: DatabaseResources;
  /** Told what keeps the database from being there. */
  readonly onHindrance?: StartHindrance | undefined;
  readonly signal: AbortSignal;
}

/** On the server of all, on one of its own, or still on that of all, where others have their own. */
export type DatabaseKind = 'shared' | 'own' | 'kept';

/** Port: the databases of deployments. */
export interface Databases extends AsyncDisposable {
  /**
   * Creates database and role where they are missing; answers the address for that role.
   * @throws Problem `invalid` where the deployment can have none as things are
   */
  ensure(deployment_id: string, order: DatabaseOrder): Promise<string>;
  /** Gives a database this much from now on. Fewer connections than a deployment needs are not taken. */
  give(deployment_id: string, resources: DatabaseResources): Promise<void>;
  /** Drops both, with everything in them. */
  drop(deployment_id: string): Promise<void>;
  /** Tells it of a database that was ensured. */
  kindOf(deployment_id: string): DatabaseKind;
}

/** The databases on one server, which knows those that are elsewhere. */
export interface SharedDatabases extends Databases {
  ensure(deployment_id: string): Promise<string>;
  has(deployment_id: string): Promise<boolean>;
  /** Where the database of a deployment is, if that is elsewhere. */
  findElsewhere(deployment_id: string): Promise<string | undefined>;
  /** Keeps that it is there; undefined, that it is no more. */
  keepElsewhere(deployment_id: string, place: string | undefined): Promise<void>;
}

/** The name of a deployment's database, and of its role. */
export const databaseNameOf = (deployment_id: string): string => `agent_${deployment_id.replaceAll('-', '')}`;

/** As many connections as a deployment may be given. */
export const heldConnections = (connections: number | undefined): number | undefined =>
  connections === undefined
    ? undefined
    : Math.min(Math.max(connections, LEAST_CONNECTIONS), MOST_CONNECTIONS);

/**
 * Gives each deployment a database and a role of its own on one server. Passwords are derived from a key of ours, so
 * that none can get lost.
 */
export function openSharedDatabases(options: {
  readonly admin_url: string;
  readonly password_key: string;
}): SharedDatabases {
  const admin: Database = openDatabase({ url: options.admin_url, max: 2, name: 'roadstead data plane' });
  const passwordOf = (name: string) => createHmac('sha256', options.password_key).update(name).digest('hex');
  const noteOf = (deployment_id: string) => `${databaseNameOf(deployment_id)}_elsewhere`;
  const findElsewhere = (deployment_id: string) => findNote(admin, noteOf(deployment_id));
  const refuseElsewhere = async (deployment_id: string) => {
    const place = await findElsewhere(deployment_id);
    if (place !== undefined) throw elsewhere(place);
  };
  return {
    ensure: async (deployment_id) => {
      await refuseElsewhere(deployment_id);
      const name = databaseNameOf(deployment_id);
      await ensureRole(admin, { name, password: passwordOf(name) });
      await ensureDatabase(admin, { name, owner: name });
      return withLogin(withDatabaseName(options.admin_url, name), name, passwordOf(name));
    },
    give: async (deployment_id, { connections }) => {
      await limitRole(admin, {
        name: databaseNameOf(deployment_id),
        connections: heldConnections(connections),
      });
    },
    drop: async (deployment_id) => {
      await refuseElsewhere(deployment_id);
      await dropDatabase(admin, databaseNameOf(deployment_id));
      await dropRole(admin, databaseNameOf(deployment_id));
    },
    kindOf: () => 'shared',
    has: (deployment_id) => databaseExists(admin, databaseNameOf(deployment_id)),
    findElsewhere,
    keepElsewhere: (deployment_id, place) =>
      place === undefined
        ? dropRole(admin, noteOf(deployment_id))
        : keepNote(admin, { name: noteOf(deployment_id), note: place }),
    [Symbol.asyncDispose]: () => admin[Symbol.asyncDispose](),
  };
}

/** An empty database in its place would look as if all was lost. */
const elsewhere = (place: string) =>
  new Problem('invalid', `The database of this deployment is a server of its own (${place}).`, {
    code: 'database_elsewhere',
    hint: 'The operator lets the data plane have it again: ROADSTEAD_AGENTS_DATABASES is cloudnativepg (dataPlane.databases.cloudNativePg.enabled of the chart).',
  });

function withLogin(url: string, name: string, password: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/)(?:[^@/?]*@)?/, `$1${encodeURIComponent(name)}:${password}@`);
}
