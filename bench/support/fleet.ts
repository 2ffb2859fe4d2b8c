import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALL_WORKSPACES, type Client, createClient } from '../../packages/contracts/src/index.ts';
import {
  type ControlPlaneContract,
  controlPlane,
  type Deployment,
} from '../../packages/contracts/src/control-plane/index.ts';
import { identity as identityContract } from '../../packages/contracts/src/identity/index.ts';
import { CONTROL_PLANE_SCHEMA, startControlPlane } from '../../packages/control-plane/src/control-plane.ts';
import { fakeObservability } from '../../packages/control-plane/src/testing/fake-observability.ts';
import { startDataPlane } from '../../packages/data-plane/src/data-plane.ts';
import { testConfig } from '../../packages/data-plane/src/testing/test-config.ts';
import { FakeRuntime } from '../../packages/data-plane/src/testing/fake-runtime.ts';
import { sourceArchive } from '../../packages/data-plane/src/testing/projects.ts';
import { IDENTITY_SCHEMA, startIdentity } from '../../packages/identity/src/index.ts';
import {
  createSigner,
  createSigningKey,
  createVerifier,
  toNodeListener,
} from '../../packages/http/src/index.ts';
import { openFolderBlobs } from '../../packages/blobs/src/index.ts';
import { createLog, createSecretBox } from '../../packages/kit/src/index.ts';
import { type Database, openDatabase } from '../../packages/postgres/src/index.ts';
import { createGuardedFetch } from '../../packages/outbound/src/index.ts';
import { deployArchive } from './deploy-archive.ts';
import { startEmbeddedPostgres } from '../../packages/postgres-server/src/index.ts';

/** Control plane and data plane in this process, with deployments that cost no process: what remains is the cost of following them. */

export interface Fleet extends AsyncDisposable {
  readonly client: Client<ControlPlaneContract>;
  /** A deployment of the one source, up to the acknowledged PATCH. */
  create(name: string): Promise<Deployment>;
  /** Until the latest revision of each has been reached. */
  reached(deployment_ids: readonly string[]): Promise<void>;
  /** Ends the data plane and starts another; answers when it has brought everything back. */
  restart(): Promise<void>;
}

const WORKSPACE = '11111111-1111-4111-8111-111111111111';
const LISTENER = '99999999-9999-4999-8999-999999999999';
const ADMIN_KEY = 'rs_bench_admin';
const LISTENER_KEY = 'rs_bench_listener';
const SERVICE_KEY = 'rs_bench_control_plane';

// oxlint-disable-next-line max-lines-per-function -- a composition root reads best in one piece
export async function startFleet(): Promise<Fleet> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-fleet-'));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const postgres = stack.use(await startEmbeddedPostgres({ folder: join(folder, 'postgres') }));
  const url = postgres.url('postgres');
  const open = (schema: string) => stack.use(openDatabase({ url, max: 8, name: schema, schema }));
  const log = createLog({ level: 'error', write: (line) => void process.stderr.write(`${line}\n`) });
  const server = createServer();
  const started = new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  await started;
  const origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  stack.defer(() => void server.close());
  const signing_key = createSigningKey();
  const { public_keys } = createSigner(signing_key);
  const identity = stack.use(
    await startIdentity({
      db: open(IDENTITY_SCHEMA),
      log,
      signing_key_pem: signing_key,
      secret_box: createSecretBox(['bench']),
      public_url: origin,
      outbound: undefined,
      service_keys: { 'control-plane': SERVICE_KEY },
      default_workspace: { id: WORKSPACE, name: 'default' },
    }),
  );
  await identity.ensureKey({ workspace_id: WORKSPACE, name: 'admin', scopes: ['admin'], key: ADMIN_KEY });
  const listener = { workspace_id: ALL_WORKSPACES, name: 'listener', scopes: ['listener'] as const };
  await identity.ensureKey({ ...listener, scopes: [...listener.scopes], key: LISTENER_KEY });
  const db = open(CONTROL_PLANE_SCHEMA);
  const control = stack.use(
    await startControlPlane({
      db,
      blobs: await openFolderBlobs(join(folder, 'blobs')),
      log,
      secret_box: createSecretBox(['bench']),
      address_secret: 'bench',
      verify: createVerifier(public_keys, { audience: 'control-plane' }),
      clients: {
        observability: fakeObservability().clientOf,
        identity: (workspace_id) =>
          createClient(identityContract, {
            base_url: origin,
            headers: { 'x-api-key': SERVICE_KEY, 'x-tenant-id': workspace_id },
            fetch: (request) => identity.served.fetch(request),
          }),
      },
      outbound: createGuardedFetch(),
      public_url: origin,
      agent_url: (slug) => `${origin}/agents/${slug}`,
      embedded_listener: { id: LISTENER },
      bin_days: 7,
      allowed_hosts: [],
      auth_callback_path: '/v2/auth/callback',
      git_poll_s: 0,
      images: { registry_url: undefined, max_bytes: 0, kept_days: 1 },
    }),
  );
  const send = async (request: Request) => {
    if (new URL(request.url).pathname.startsWith('/v2/api-keys'))
      return identity.served.fetch(request, await identity.edge.inward(request.headers, 'identity'));
    return control.served.fetch(request, await identity.edge.inward(request.headers, 'control-plane'));
  };
  server.on('request', toNodeListener(send));
  await mkdir(join(folder, 'data'));
  const plane = () =>
    startDataPlane({
      config: {
        ...testConfig,
        socket: join(folder, 's'),
        control_url: origin,
        listener_id: LISTENER,
        listener_key: LISTENER_KEY,
        data_folder: join(folder, 'data'),
        agents_database_url: url,
        agent_url: `${origin}/agents/{slug}`,
      },
      environment: process.env,
      log,
      runtime: (runtime = new FakeRuntime()),
    });
  let runtime = new FakeRuntime();
  let running = await plane();
  stack.defer(() => running[Symbol.asyncDispose]());
  const client = createClient(controlPlane, {
    base_url: origin,
    headers: { 'x-api-key': ADMIN_KEY },
    fetch: send,
  });
  const archive = await sourceArchive('works');
  const opened = stack.move();
  return {
    client,
    create: (name) => deployArchive(client, { name, archive }),
    reached: (ids) => until(async () => (await countReached(db, ids)) === ids.length, 'every revision'),
    restart: async () => {
      const before = runtime.opened.size;
      await running[Symbol.asyncDispose]();
      running = await plane();
      await until(async () => runtime.opened.size >= before, 'every deployment');
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function countReached(db: Database, ids: readonly string[]): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    `select count(*)::int as count from deployments d
     where d.id = any($1::uuid[]) and d.active_revision_id = d.latest_revision_id`,
    [ids],
  );
  return count;
}

const PATIENCE_MS = 300_000;

async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}.`);
    await new Promise((done) => setTimeout(done, 10));
  }
}
