import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDatabase, openDatabase, withDatabaseName } from '@roadstead/postgres';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@roadstead/postgres-server';
import { freePort } from '@roadstead/testing/processes';
import { Balancer } from './balancer.ts';
import { readReplicaKeys } from './replica-keys.ts';
import { ReplicaProcess } from './replica-process.ts';
import {
  type Counts,
  isBalanced,
  ownSettingsOf,
  type Service,
  services,
  settingsOf,
  TWO_OF_EACH,
} from './replica-settings.ts';

/** An installation whose services run in several processes each, behind balancers, on one PostgreSQL. */
export interface Replicas extends AsyncDisposable {
  /** The address of the edge. */
  readonly url: string;
  readonly key: string;
  readonly folder: string;
  readonly postgres: EmbeddedPostgres;
  readonly processes: readonly ReplicaProcess[];
  readonly process: (service: Service, number: number) => ReplicaProcess;
  /** The address of one process, past the balancer. */
  readonly addressOf: (service: Service, number: number) => string;
  /** What the balancer holds of a process; of a data plane, which has none, nothing. */
  readonly healthOf: (one: ReplicaProcess) => ReturnType<Balancer['healthOf']>;
  /** What all of them printed so far. */
  readonly output: () => string;
}

export interface ReplicasOptions {
  readonly counts?: Counts;
  /** After how many requests a process ends a connection, so that the next one goes elsewhere; 0 for never. */
  readonly requests_per_connection?: number;
  /** The port of the edge's balancer. */
  readonly port?: number;
  /** Given to all processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** What all processes get of the environment of the tests. */
  readonly surroundings: NodeJS.ProcessEnv;
}

export async function startReplicas(
  folder: string,
  { counts = TWO_OF_EACH, requests_per_connection = 0, port, env = {}, surroundings }: ReplicasOptions,
): Promise<Replicas> {
  await using stack = new AsyncDisposableStack();
  await mkdir(folder, { recursive: true });
  const keys = await readReplicaKeys(folder);
  const postgres = stack.use(await startEmbeddedPostgres({ folder: join(folder, 'postgres') }));
  const places = await placesOf(counts, port);
  const balancers = new Map<Service, Balancer>();
  for (const [service, { port, backends }] of places)
    if (isBalanced(service)) balancers.set(service, stack.use(await Balancer.open({ port, backends })));
  const settings = settingsOf({
    keys,
    addressOf: (service) => addressAt(places.get(service)?.port),
    databases: await ensureDatabases(postgres),
    blobs: { ROADSTEAD_BLOBS_URL: `file:${join(folder, 'blobs')}` },
  });
  let output = '';
  const log = await openLog(folder);
  stack.defer(() => void log.end());
  const print = (text: string) => {
    output += text;
    log.write(text);
  };
  const processes = services.flatMap((service) =>
    Array.from({ length: counts[service] }, (_, at) => {
      const number = at + 1;
      const port = places.get(service)?.backends[at] ?? 0;
      const own = {
        ...ownSettingsOf(service, { folder, number, port }),
        REQUESTS_PER_CONNECTION: String(requests_per_connection),
      };
      return new ReplicaProcess({
        service,
        number,
        env: { ...surroundings, ...settings[service], ...own, ...env },
        onOutput: print,
      });
    }),
  );
  // The data plane still reports while it stops, so the others follow it.
  const [first, rest] = [processes.filter(isDataPlane), processes.filter((one) => !isDataPlane(one))];
  for (const group of [rest, first]) stack.defer(() => endAll(group));
  await Promise.all(processes.map((one) => one.start()));
  const url = addressAt(places.get('edge')?.port);
  await untilReady(url);
  const process = (service: Service, number: number) => {
    const found = processes.find((one) => one.service === service && one.number === number);
    if (found === undefined) throw new Error(`There is no ${service} ${number}.`);
    return found;
  };
  const opened = stack.move();
  return {
    url,
    key: keys.secrets.api,
    folder,
    postgres,
    processes,
    process,
    addressOf: (service, number) => addressAt(places.get(service)?.backends[number - 1]),
    healthOf: ({ service, number }) =>
      balancers.get(service)?.healthOf(places.get(service)?.backends[number - 1] ?? 0),
    output: () => output,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Where `up` has its log, too. */
async function openLog(folder: string): Promise<WriteStream> {
  await mkdir(join(folder, 'logs'), { recursive: true });
  return createWriteStream(join(folder, 'logs', 'platform.log'), { flags: 'a' });
}

const isDataPlane = ({ service }: ReplicaProcess) => service === 'data-plane';
const endAll = async (processes: readonly ReplicaProcess[]) =>
  void (await Promise.all(processes.map((one) => one[Symbol.asyncDispose]())));

const addressAt = (port: number | undefined) => `http://127.0.0.1:${port}`;

/** Where the balancer of a service listens, and where its processes do. */
interface ServicePlace {
  readonly port: number;
  readonly backends: readonly number[];
}

async function placesOf(
  counts: Counts,
  port: number | undefined,
): Promise<ReadonlyMap<Service, ServicePlace>> {
  const places = services.map(async (service) => {
    const backends = await Promise.all(Array.from({ length: counts[service] }, freePort));
    const own = service === 'edge' && port !== undefined ? port : await freePort();
    return [service, { port: own, backends }] as const;
  });
  return new Map<Service, ServicePlace>(await Promise.all(places));
}

async function ensureDatabases(
  postgres: EmbeddedPostgres,
): Promise<Readonly<Record<'platform' | 'traces' | 'agents', string>>> {
  const agents = postgres.url('postgres');
  await using admin = openDatabase({ url: agents, max: 1, name: 'test' });
  const named = async (name: string) => {
    await ensureDatabase(admin, { name });
    return withDatabaseName(agents, name);
  };
  return { platform: await named('roadstead'), traces: await named('roadstead_traces'), agents };
}

const READY_MS = 60_000;

/** Until the edge warns of nothing: then all answer, and the data plane has called. */
async function untilReady(url: string): Promise<void> {
  const until = Date.now() + READY_MS;
  for (;;) {
    const said = await fetch(`${url}/ok`)
      .then((answer) => answer.text())
      .catch((error: unknown) => String(error));
    if (said === '{"ok":true,"warnings":[]}') return;
    if (Date.now() > until) throw new Error(`The replicas were not ready in time: ${said}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
