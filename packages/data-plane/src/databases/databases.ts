import { createHmac } from 'node:crypto';
import { LEAST_CONNECTIONS } from '@roadstead/contracts/control-plane';
import {
  type Database,
  dropDatabase,
  dropRole,
  ensureDatabase,
  ensureRole,
  limitRole,
  openDatabase,
  withDatabaseName,
} from '@roadstead/postgres';

/** The most that a server of PostgreSQL can be set to. */
const MOST_CONNECTIONS = 262_143;

/** The databases of deployments. */
export interface Databases extends AsyncDisposable {
  /** Creates database and role where they are missing; answers the address for that role. */
  ensure(deployment_id: string): Promise<string>;
  /** Limits the connections of its role; undefined, there is no limit. Fewer than a deployment needs are not taken. */
  limitConnections(deployment_id: string, connections: number | undefined): Promise<void>;
  /** Drops both, with everything in them. */
  drop(deployment_id: string): Promise<void>;
}

/**
 * Gives each deployment a database and a role of its own on one server. Passwords are derived from a key of ours, so
 * that none can get lost.
 */
export function openOwnDatabases(options: {
  readonly admin_url: string;
  readonly password_key: string;
}): Databases {
  const admin: Database = openDatabase({ url: options.admin_url, max: 2, name: 'roadstead data plane' });
  const nameOf = (deployment_id: string) => `agent_${deployment_id.replaceAll('-', '')}`;
  const passwordOf = (name: string) => createHmac('sha256', options.password_key).update(name).digest('hex');
  return {
    ensure: async (deployment_id) => {
      const name = nameOf(deployment_id);
      await ensureRole(admin, { name, password: passwordOf(name) });
      await ensureDatabase(admin, { name, owner: name });
      return withLogin(withDatabaseName(options.admin_url, name), name, passwordOf(name));
    },
    limitConnections: async (deployment_id, connections) => {
      const held =
        connections === undefined
          ? undefined
          : Math.min(Math.max(connections, LEAST_CONNECTIONS), MOST_CONNECTIONS);
      await limitRole(admin, { name: nameOf(deployment_id), connections: held });
    },
    drop: async (deployment_id) => {
      await dropDatabase(admin, nameOf(deployment_id));
      await dropRole(admin, nameOf(deployment_id));
    },
    [Symbol.asyncDispose]: () => admin[Symbol.asyncDispose](),
  };
}

function withLogin(url: string, name: string, password: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/)(?:[^@/?]*@)?/, `$1${encodeURIComponent(name)}:${password}@`);
}
