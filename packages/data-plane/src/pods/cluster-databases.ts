import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Log, Problem } from '@roadstead/kit';
import {
  type DatabaseCluster,
  isClusterAway,
  type KubernetesClient,
  KubernetesRefusal,
  type StoredObject,
} from '@roadstead/kubernetes';
import {
  databaseNameOf,
  type DatabaseOrder,
  type DatabaseResources,
  type Databases,
  type SharedDatabases,
} from '../databases/databases.ts';
import { EngineAway } from '../images/engine-away.ts';
import type { AgentPlaces } from './agent-places.ts';
import { isPassing } from './cluster-trouble.ts';
import { databaseLabels, databaseServer, isAsWanted } from './database-manifest.ts';
import { databaseRefusal, databaseTrouble } from './database-trouble-rules.ts';
import { hindranceTold, type PodTrouble } from './pod-trouble.ts';

export interface ClusterDatabasesOptions {
  /** The databases of deployments that were there before, which keep them; closed with these. */
  readonly shared: SharedDatabases;
  readonly places: Pick<AgentPlaces, 'of' | 'all'>;
  /** Names this data plane, in each of its lives. */
  readonly owner: string;
  readonly default_gi: number;
  readonly storage_class: string | undefined;
  /** How long a new one may take, and how often it is looked at. */
  readonly wait?: { readonly limit_ms: number; readonly look_ms: number };
  readonly log: Log;
}

const WAIT = { limit_ms: 300_000, look_ms: 2000 };

/** A database server, and where it is. */
interface Server {
  readonly cluster: KubernetesClient;
  readonly object: StoredObject<DatabaseCluster>;
}

/**
 * Gives each deployment a database server of its own, which CloudNativePG runs in the namespace of the deployment. One that had a database on the
 * shared server before keeps that. Where there is one, is kept on the shared server as well, so that none is taken for a new one when it is gone.
 */
export function openClusterDatabases(options: ClusterDatabasesOptions): Databases {
  const { shared } = options;
  const servers = new DatabaseServers(options);
  const kept = new Set<string>();
  return {
    ensure: async (deployment_id, order) => {
      if (await shared.has(deployment_id)) {
        kept.add(deployment_id);
        return await shared.ensure(deployment_id);
      }
      const known = await shared.findElsewhere(deployment_id);
      const found = await servers.find(deployment_id);
      if (found === undefined && known !== undefined) throw gone(known);
      if (found !== undefined && known !== undefined) return await addressOf(found);
      const made = await servers.make(deployment_id, { ...order, found });
      const address = await addressOf(made);
      const { name, namespace } = made.object.metadata;
      await shared.keepElsewhere(deployment_id, `${namespace}/${name}`);
      return address;
    },
    give: async (deployment_id, resources) =>
      kept.has(deployment_id)
        ? await shared.give(deployment_id, resources)
        : await servers.give(deployment_id, resources),
    drop: async (deployment_id) => {
      await servers.remove(deployment_id);
      await shared.keepElsewhere(deployment_id, undefined);
      await shared.drop(deployment_id);
      kept.delete(deployment_id);
    },
    kindOf: (deployment_id) => (kept.has(deployment_id) ? 'kept' : 'own'),
    [Symbol.asyncDispose]: () => shared[Symbol.asyncDispose](),
  };
}

type ServerOrder = DatabaseOrder & { readonly found: Server | undefined };

/** The database servers of deployments in a cluster. */
class DatabaseServers {
  readonly #options: ClusterDatabasesOptions;

  constructor(options: ClusterDatabasesOptions) {
    this.#options = options;
  }

  async find(deployment_id: string): Promise<Server | undefined> {
    const labels = databaseLabels({ deployment_id, owner: this.#options.owner });
    for (const { pods } of this.#options.places.all) {
      const { cluster } = pods;
      const { items } = await asked(() => cluster.list('clusters', { labels }));
      const object = items.find(({ metadata }) => metadata.deletionTimestamp === undefined);
      if (object !== undefined) return { cluster, object };
    }
    return undefined;
  }

  /**
   * Makes one, or goes on with one that was never ready, and waits for it.
   * @throws Problem `invalid` where it will never be ready, or is not in time
   */
  async make(deployment_id: string, { found, ...order }: ServerOrder): Promise<Server> {
    const { cluster } = found ?? this.#options.places.of(deployment_id).pods;
    const tell = hindranceTold(order.onHindrance);
    const object_name = found?.object.metadata.name ?? freshName(deployment_id);
    const began = performance.now();
    for (;;) {
      order.signal.throwIfAborted();
      const { limit_ms, look_ms } = this.#options.wait ?? WAIT;
      const wanted = { ...this.#options, ...order, deployment_id, object_name, live: found?.object };
      const seen = await this.#begin(cluster, databaseServer({ ...wanted }));
      if (seen.trouble === undefined) {
        tell(undefined);
        return { cluster, object: seen.object };
      }
      if (!seen.trouble.passes || performance.now() - began > limit_ms) throw notReady(seen.trouble);
      tell(seen.trouble);
      await pause(look_ms, undefined, { signal: order.signal });
    }
  }

  /** Gives one what a revision asks for. It restarts where it must for that; calls wait for it as for any database that is away. */
  async give(deployment_id: string, resources: DatabaseResources): Promise<void> {
    const found = await this.find(deployment_id);
    if (found === undefined) throw gone(databaseNameOf(deployment_id));
    const { cluster, object: live } = found;
    const { labels = {}, name: object_name } = live.metadata;
    const name = labels['app.kubernetes.io/instance'] ?? '';
    const wanted = databaseServer({ ...this.#options, deployment_id, name, object_name, resources, live });
    if (!isAsWanted(live, wanted)) await asked(() => cluster.apply('clusters', wanted, { force: true }));
  }

  async remove(deployment_id: string): Promise<void> {
    const found = await this.find(deployment_id);
    if (found === undefined) return;
    const { cluster, object } = found;
    const { name, uid } = object.metadata;
    await asked(() => cluster.delete('clusters', { name, uid, propagation: 'Background' }));
    this.#options.log.info('removed the database server of a deployment', { deployment_id, name });
  }

  async #begin(
    cluster: KubernetesClient,
    wanted: DatabaseCluster,
  ): Promise<
    { readonly trouble: undefined; readonly object: Server['object'] } | { readonly trouble: PodTrouble }
  > {
    try {
      const object = await cluster.apply('clusters', wanted, { force: true });
      const { name } = object.metadata;
      const { items: pods } = await cluster.list('pods', { labels: { 'cnpg.io/cluster': name } });
      const trouble = databaseTrouble(object, { pods }) ?? (await secretTrouble({ cluster, object }));
      return trouble === undefined ? { trouble, object } : { trouble };
    } catch (error) {
      if (!isClusterAway(error) && !(error instanceof KubernetesRefusal)) throw error;
      return { trouble: databaseRefusal(error) };
    }
  }
}

/** A name that nobody guesses: what deployments of the same namespace name there, such as its Secret, they get. */
const freshName = (deployment_id: string) =>
  `db-${deployment_id.slice(-8)}-${randomBytes(8).toString('hex')}`;

const readSecret = ({ cluster, object: { metadata } }: Server) =>
  cluster.find('secrets', { name: `${metadata.name}-app` });

async function secretTrouble(server: Server): Promise<PodTrouble | undefined> {
  if ((await readSecret(server)) !== undefined) return undefined;
  const sentence = 'CloudNativePG has not written the login of the database of the deployment yet.';
  return { code: 'database_not_ready', sentence, passes: true };
}

/** The address of its Service, with the login that the operator made: as the operator itself says it, from its version 1.27 on. */
async function addressOf(server: Server): Promise<string> {
  const { name, namespace = '', labels = {} } = server.object.metadata;
  const secret = await asked(() => readSecret(server));
  const read = (key: string) => Buffer.from(secret?.data?.[key] ?? '', 'base64').toString();
  const [username, password] = [read('username'), read('password')].map(encodeURIComponent);
  if (password === '') throw gone(`the Secret ${name}-app in ${namespace}`);
  const database = databaseNameOf(labels['roadstead.dev/deployment-id'] ?? '');
  return (
    read('fqdn-uri') || `postgresql://${username}:${password}@${name}-rw.${namespace}.svc:5432/${database}`
  );
}

/** A call of the cluster whose refusal is the deployment's, and whose absence is nobody's. */
async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isPassing(error)) throw new EngineAway(error);
    if (!(error instanceof KubernetesRefusal)) throw error;
    throw notReady(databaseRefusal(error), error);
  }
}

const notReady = ({ code, sentence }: PodTrouble, cause?: unknown) =>
  new Problem('invalid', sentence, {
    code,
    cause,
    hint: 'The operator of the cluster can help. Deploy again when this is repaired: what is there already is gone on with.',
  });

/** None is made in its place: that would be empty, and look as if all was lost. */
const gone = (what: string) =>
  new Problem('invalid', `The database of this deployment is not where it was: ${what}.`, {
    code: 'database_gone',
    hint: 'The operator of the cluster brings the Cluster of CloudNativePG back, or the namespace that it is in (dataPlane.agents of the chart).',
  });
