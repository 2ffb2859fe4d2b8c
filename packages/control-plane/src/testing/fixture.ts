import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ALL_WORKSPACES, type Client, createClient, type Principal } from '@roadstead/contracts';
import {
  type ControlPlaneContract,
  controlPlane,
  type Deployment,
  type Revision,
} from '@roadstead/contracts/control-plane';
import { identity as identityContract } from '@roadstead/contracts/identity';
import { createSigner, createSigningKey, createVerifier, type CallerContext } from '@roadstead/http';
import { openFolderBlobs } from '@roadstead/blobs';
import { createLog, createSecretBox } from '@roadstead/kit';
import { openDatabase } from '@roadstead/postgres';
import { createGuardedFetch } from '@roadstead/outbound';
import { eventually, freshDatabase } from '@roadstead/testing';
import { IDENTITY_SCHEMA, type IdentityService, startIdentity } from '@roadstead/identity';
import {
  CONTROL_PLANE_SCHEMA,
  type ControlPlaneOptions,
  type ControlPlaneService,
  startControlPlane,
} from '../control-plane.ts';
import { migrations } from '../migrations/index.ts';
import { type FakeInstance, FakeListener } from './fake-listener.ts';
import { type FakeObservability, fakeObservability } from './fake-observability.ts';

/** A control plane on a real database with the real identity service, a fake observability and fake listeners. */

export const WORKSPACE = '11111111-1111-4111-8111-111111111111';
export const OTHER_WORKSPACE = '22222222-2222-4222-8222-222222222222';
export const LISTENER_ID = '99999999-9999-4999-8999-999999999999';
const ALLOWED_HOSTS = ['127.0.0.1', 'localhost'];
const ORIGIN = 'http://roadstead.test';

interface FixtureOptions {
  readonly templates_folder?: string;
  /** Used in place of the network. */
  readonly outbound?: ControlPlaneOptions['outbound'];
  readonly images?: ControlPlaneOptions['images'];
}

export async function startFixture({ templates_folder, ...given }: FixtureOptions = {}) {
  const stack = new AsyncDisposableStack();
  const fresh = stack.use(await freshDatabase('control', [{ schema: CONTROL_PLANE_SCHEMA, migrations }]));
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-control-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const open = (schema: string) => stack.use(openDatabase({ url: fresh.url, max: 6, name: schema, schema }));
  const logged: string[] = [];
  const log = createLog({ level: 'debug', write: (line) => logged.push(line) });
  const identity = stack.use(
    await startIdentity({
      db: open(IDENTITY_SCHEMA),
      log,
      signing_key_pem: SIGNING_KEY,
      secret_box: createSecretBox(['a secret of the fixture']),
      public_url: ORIGIN,
      outbound: async () => new Response(null, { status: 404 }),
      service_keys: { 'control-plane': SERVICE_KEY },
      default_workspace: { id: WORKSPACE, name: 'default' },
      credentials_die_ms: 0,
      holders: {
        control_plane: { url: ORIGIN, fetch: async (request) => service.served.fetch(request) },
        observability: {
          url: ORIGIN,
          fetch: async ({ method }) => Response.json(observed[method === 'GET' ? 'held' : 'erased']),
        },
      },
    }),
  );
  for (const workspace_id of [WORKSPACE, OTHER_WORKSPACE]) {
    await identity.ensureKey({
      workspace_id,
      name: 'admin',
      scopes: ['admin'],
      key: `rs_admin_${workspace_id}`,
    });
  }
  await identity.ensureKey({
    workspace_id: ALL_WORKSPACES,
    name: 'listener',
    scopes: ['listener'],
    key: 'rs_listener',
  });
  const observability = fakeObservability();
  const db = open(CONTROL_PLANE_SCHEMA);
  const blob_folder = join(folder, 'blobs');
  const blobs = await openFolderBlobs(blob_folder);
  const start = () =>
    startControlPlane({
      ...optionsOf({ db, blobs, log, identity, observability, templates_folder }),
      ...given,
    });
  let service: ControlPlaneService = await start();
  stack.defer(() => service[Symbol.asyncDispose]());

  /** A request from outside, with the caller's headers. */
  const send = async (request: Request) =>
    service.served.fetch(request, await identity.edge.inward(request.headers, 'control-plane'));
  const clientWith = (key: string, through = send): Client<ControlPlaneContract> =>
    createClient(controlPlane, { base_url: ORIGIN, headers: { 'x-api-key': key }, fetch: through });

  const restart = async () => {
    await service[Symbol.asyncDispose]();
    service = await start();
  };
  return {
    stack,
    db,
    log,
    blobs,
    blob_folder,
    identity,
    observability,
    logged,
    get service() {
      return service;
    },
    /** Another instance on the same database; disposed with the fixture. */
    startAnother: async () => stack.use(await start()),
    /** Ends the service and starts it again, as a deploy of the platform does. */
    restart,
    /** Restarts when what is done once in a while is due again, and waits until it is done. */
    restartLater: async () => {
      await until(async () => (await db.run('delete from periodic_work')) > 0, 'first sweep');
      await restart();
      await until(async () => (await db.query('select from periodic_work')).length > 0, 'next sweep');
    },
    send: (path: string, init: RequestInit = {}, workspace_id = WORKSPACE) => {
      const headers = new Headers(init.headers);
      if (!headers.has('x-api-key')) headers.set('x-api-key', `rs_admin_${workspace_id}`);
      return send(new Request(ORIGIN + path, { ...init, headers }));
    },
    client: (workspace_id = WORKSPACE) => clientWith(`rs_admin_${workspace_id}`),
    clientWith,
    listener: (more: { readonly instance?: FakeInstance } = {}) =>
      new FakeListener({
        client: clientWith('rs_listener'),
        listener_id: LISTENER_ID,
        fetch: send,
        ...more,
      }),
    fetch: send,
    /** A call of one of our services, or of somebody else with its assertion. */
    signedAs: (principal: Principal): CallerContext => ({
      assertion: signer.sign(principal, 'control-plane'),
    }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Observability's answer for what it holds of a workspace: nothing. */
const observed = { held: { items: [] }, erased: { is_done: true, left: [] } };
const SERVICE_KEY = 'rs_service_control_plane';
const SIGNING_KEY = createSigningKey();
const signer = createSigner(SIGNING_KEY);
const { public_keys } = signer;

interface Neighbours extends Pick<ControlPlaneOptions, 'db' | 'blobs' | 'log' | 'templates_folder'> {
  readonly identity: IdentityService;
  readonly observability: FakeObservability;
}

function optionsOf({ identity, observability, ...given }: Neighbours): ControlPlaneOptions {
  const { served } = identity;
  return {
    ...given,
    secret_box: createSecretBox(['a secret key']),
    address_secret: 'an address secret',
    verify: createVerifier(public_keys, { audience: 'control-plane' }),
    clients: {
      observability: observability.clientOf,
      identity: (workspace_id) =>
        createClient(identityContract, {
          base_url: ORIGIN,
          headers: { 'x-api-key': SERVICE_KEY, 'x-tenant-id': workspace_id },
          fetch: (request) => served.fetch(request),
        }),
    },
    // Servers of a test are on this machine.
    outbound: createGuardedFetch({ allowed_hosts: ALLOWED_HOSTS }),
    allowed_hosts: ALLOWED_HOSTS,
    auth_callback_path: '/v2/auth/callback',
    public_url: ORIGIN,
    agent_url: (slug) => `${ORIGIN}/agents/${slug}`,
    embedded_listener: { id: LISTENER_ID },
    bin_days: 7,
    git_poll_s: 60,
    images: { registry_url: undefined, max_bytes: 20_000_000, kept_days: 30 },
    check_answers: true,
  };
}

export type Fixture = Awaited<ReturnType<typeof startFixture>>;

export const createRequest = (name: string) => ({
  name,
  source: 'internal_source' as const,
  source_config: {},
  source_revision_config: { langgraph_config_path: 'langgraph.json' },
  secrets: [] as { name: string; value: string }[],
});

/** Uploads a stand-in for an archive, and answers its object path. */
export async function upload(fixture: Fixture, deployment_id: string, content = 'source'): Promise<string> {
  const address = await fixture.client().createUploadAddress({ params: { deployment_id } });
  const answer = await fixture.fetch(
    new Request(address.upload_url, { method: 'PUT', body: gzipSync(content) }),
  );
  if (answer.status !== 200)
    throw new Error(`The upload was answered ${answer.status}: ${await answer.text()}`);
  return address.object_path;
}

/** Creates, uploads and patches, like the CLI. */
export async function deploy(fixture: Fixture, name: string, content = 'source'): Promise<Deployment> {
  const created = await fixture.client().createDeployment({ body: createRequest(name) });
  return push(fixture, created.id, content);
}

/** A new revision of an existing deployment from other source. */
export async function push(fixture: Fixture, deployment_id: string, content: string): Promise<Deployment> {
  const source_tarball_path = await upload(fixture, deployment_id, content);
  return fixture.client().patchDeployment({
    params: { deployment_id },
    body: { revision_source: 'internal_source', source_revision_config: { source_tarball_path } },
  });
}

/** Deploys with a listener that does everything it is asked to; answers the resulting deployment. */
export async function deployed(fixture: Fixture, name: string, listener: FakeListener): Promise<Deployment> {
  const { id } = await deploy(fixture, name);
  await listener.reach(await listener.next(id, (news) => news.revision !== null));
  return fixture.client().readDeployment({ params: { deployment_id: id } });
}

/** Newest first. */
export async function revisionsOf(fixture: Fixture, deployment_id: string): Promise<Revision[]> {
  return (await fixture.client().listRevisions({ params: { deployment_id }, query: { limit: 100 } }))
    .resources;
}

/** Waits until a condition holds, and answers its value. */
export function until<T>(look: () => Promise<T | undefined | false>, what = 'it'): Promise<T> {
  return eventually(async () => {
    const found = await look();
    if (found === undefined || found === false) throw new Error(`Waiting for ${what} failed.`);
    return found;
  });
}
