import { randomBytes } from 'node:crypto';
import type { DatabaseCluster } from '@roadstead/kubernetes';
import type { FakeApiServer } from '@roadstead/kubernetes/testing';
import {
  dropDatabase,
  dropRole,
  ensureDatabase,
  ensureRole,
  openDatabase,
  withDatabaseName,
} from '@roadstead/postgres';

type StoredThing = ReturnType<FakeApiServer['objects']['read']>;

/**
 * The operator CloudNativePG: what it makes are databases of one real server. Databases of the shared server of a test may be there as well, so
 * these have names of their own, which the addresses say.
 */
export class PlayedDatabases implements AsyncDisposable {
  /** What it says instead of making a database, where it is to make none. */
  stuck: DatabaseCluster['status'];
  readonly #server: FakeApiServer;
  readonly #admin_url: string;
  readonly #admin;
  readonly #made = new Set<string>();
  #work: Promise<void> = Promise.resolve();

  constructor(server: FakeApiServer, admin_url: string) {
    this.#server = server;
    this.#admin_url = admin_url;
    this.#admin = openDatabase({ url: admin_url, max: 1, name: 'played operator' });
    server.store.followers.add(({ resource, type, object }) => {
      if (resource !== 'clusters') return;
      this.#work = this.#work.then(() => (type === 'DELETED' ? this.#drop(object) : this.#make(object)));
    });
  }

  /** The databases that are there. */
  get databases(): readonly string[] {
    return [...this.#made];
  }

  get clusters(): readonly (DatabaseCluster & StoredThing)[] {
    return this.#server.store.list('clusters') as unknown as (DatabaseCluster & StoredThing)[];
  }

  /** Looks at all again, as after it could do nothing. */
  async resume(): Promise<void> {
    this.stuck = undefined;
    for (const cluster of this.clusters) await this.#make(cluster);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#work;
    for (const name of this.#made) await this.#remove(name);
    await this.#admin[Symbol.asyncDispose]();
  }

  async #make(object: StoredThing): Promise<void> {
    const name = nameOf(object);
    if (this.stuck !== undefined) return this.#say(object, this.stuck);
    if (this.#made.has(name)) return;
    this.#made.add(name);
    const password = randomBytes(12).toString('hex');
    await ensureRole(this.#admin, { name, password });
    await ensureDatabase(this.#admin, { name, owner: name });
    const address = withDatabaseName(this.#admin_url, name).replace(
      /\/\/(?:[^@/?]*@)?/,
      `//${name}:${password}@`,
    );
    const { namespace, uid } = object.metadata;
    this.#server.objects.write('secrets', {
      metadata: { name: `${object.metadata.name}-app`, namespace, ownerReferences: [{ uid }] },
      stringData: { username: name, password, 'fqdn-uri': address },
    });
    this.#say(object, {
      phase: 'Cluster in healthy state',
      conditions: [{ type: 'Ready', status: 'True' }],
    });
  }

  async #drop(object: StoredThing): Promise<void> {
    const name = nameOf(object);
    if (this.#made.delete(name)) await this.#remove(name);
  }

  async #remove(name: string): Promise<void> {
    await dropDatabase(this.#admin, name);
    await dropRole(this.#admin, name);
  }

  /** What it says stands beside what is asked of it, which may have changed since. */
  #say({ metadata: { namespace, name } }: StoredThing, status: DatabaseCluster['status']): void {
    const live = this.#server.store.find('clusters', `${namespace}/${name}`);
    if (live !== undefined) this.#server.objects.write('clusters', { ...live, status });
  }
}

const nameOf = (object: StoredThing) =>
  `own_${(object as unknown as DatabaseCluster).spec.bootstrap?.initdb?.database}`;
