import { ALL_WORKSPACES, type Audience, ownHosts } from '@roadstead/contracts';
import {
  CONTROL_PLANE_SCHEMA,
  createNeighbours,
  imagesOf,
  startControlPlane,
} from '@roadstead/control-plane';
import { companyOf, IDENTITY_SCHEMA, startIdentity } from '@roadstead/identity';
import type { Proxy, RequestHandler } from '@roadstead/http';
import { checkBlobsPlace, openBlobs, readBlobsPlace } from '@roadstead/blobs';
import { type Config, createSecretBox, type Log, randomToken } from '@roadstead/kit';
import { createGuardedFetch, createGuardedStream, createMailer, mailServerOf } from '@roadstead/outbound';
import { startMcpServer, withSignIn } from '@roadstead/mcp-server';
import { SERVING_CONNECTIONS, startObservability, TRACES_SCHEMA } from '@roadstead/observability';
import {
  createCredentials,
  createFetchingVerifier,
  identityClient,
  openServiceDatabase,
} from '@roadstead/service';
import { consolePages } from '../console/console.ts';
import type { DataFolder } from './data-folder.ts';
import { EdgeHosts } from './edge-hosts.ts';
import { createMetrics } from './metrics.ts';
import { createOrigin } from './origin.ts';
import type { platformSettings } from './platform-config.ts';
import type { PlatformKeys } from './platform-keys.ts';
import { servePlatform } from './platform-routes.ts';
import type { Stores } from './stores.ts';

export interface ServicesOptions {
  readonly stack: AsyncDisposableStack;
  readonly stores: Pick<Stores, 'urls' | 'is_embedded'>;
  readonly keys: PlatformKeys;
  readonly url: string;
  /** The address at which this process itself listens. */
  readonly local_url: string;
  readonly config: Config<typeof platformSettings>;
  readonly folder: DataFolder;
  readonly log: Log;
  readonly agents: Proxy;
  /** The socket of the data plane. */
  readonly socket: string;
  readonly listener_key: string;
}

const FIRST_KEY_REVOKED =
  'The first API key was revoked: give commands another one by --api-key; or remove the file api-key in the data folder (or change ROADSTEAD_API_KEY) and start again for a new one.';

/**
 * Starts every service of the platform's process, behind the one origin. They communicate as in processes of their
 * own, with their handlers in place of a network.
 */
// oxlint-disable-next-line max-lines-per-function -- a composition root reads best in one piece
export async function startServices({
  stack,
  stores: { urls, is_embedded },
  keys,
  url,
  local_url,
  config,
  folder,
  log,
  agents,
  socket,
  listener_key,
}: ServicesOptions) {
  const metrics = createMetrics();
  const open = (database_url: string, schema: string, connections?: typeof SERVING_CONNECTIONS) =>
    stack.use(openServiceDatabase({ url: database_url, schema, log, ...connections }));
  const service_keys = {
    edge: randomToken(32),
    'control-plane': randomToken(32),
    observability: randomToken(32),
  };
  const secret_box = createSecretBox(keys.secret_keys);
  const outbound = createGuardedFetch({ allowed_hosts: config.allowed_hosts });
  const mail_server = mailServerOf(config);
  // Services that identity calls are started after it.
  const started = Promise.withResolvers<Record<'control' | 'observability', RequestHandler['fetch']>>();
  const identity = stack.use(
    await startIdentity({
      db: open(urls.platform, IDENTITY_SCHEMA),
      log,
      signing_key_pem: keys.signing_key,
      secret_box,
      public_url: url,
      outbound: config.client_documents ? outbound : undefined,
      service_keys,
      onRevoked: () => credentials.forget(),
      default_workspace: { id: keys.workspace_id, name: 'default' },
      most_workspaces: config.workspaces,
      company: companyOf(config, outbound),
      holders: {
        control_plane: { url, fetch: async (request) => (await started.promise).control(request) },
        observability: { url, fetch: async (request) => (await started.promise).observability(request) },
      },
      onAnswer: metrics.onAnswer('identity'),
    }),
  );
  const toIdentity = (request: Request) => identity.served.fetch(request);
  const edgeClient = identityClient({ base_url: url, key: service_keys.edge, fetch: toIdentity });
  const credentials = createCredentials(edgeClient);
  const first = await identity.ensureKey({
    workspace_id: keys.workspace_id,
    name: 'first',
    scopes: ['admin'],
    key: keys.api_key,
  });
  await identity.ensureKey({
    workspace_id: ALL_WORKSPACES,
    name: 'embedded listener',
    scopes: ['listener'],
    key: listener_key,
  });
  const verifier = (audience: Audience) => createFetchingVerifier(edgeClient, audience);
  const place = readBlobsPlace(config, folder.path);
  await checkBlobsPlace(place, log);
  const observability = stack.use(
    await startObservability({
      db: open(urls.traces, TRACES_SCHEMA, SERVING_CONNECTIONS),
      verify: verifier('observability'),
      blobs: await openBlobs(place, 'attachments'),
      ingestion_thread: { database_url: urls.traces, blobs: place },
      secret_box,
      public_url: url,
      public_sharing: config.public_sharing,
      monthly_traces: config.monthly_traces,
      monthly_bytes: config.monthly_bytes,
      workspaces: (workspace_id) =>
        identityClient({ base_url: url, key: service_keys.observability, workspace_id, fetch: toIdentity }),
      outbound,
      model_fetch: createGuardedStream({ allowed_hosts: config.allowed_hosts }),
      mailer: mail_server && createMailer(mail_server),
      // The disk of a server elsewhere is watched there.
      data_folder: is_embedded ? folder.path : undefined,
      log,
      onAnswer: metrics.onAnswer('observability'),
    }),
  );
  const agent_url = config.agent_url ?? `${url}/agents/{slug}`;
  const control = stack.use(
    await startControlPlane({
      db: open(urls.platform, CONTROL_PLANE_SCHEMA),
      blobs: await openBlobs(place, 'blobs'),
      secret_box,
      address_secret: keys.address_secret,
      verify: verifier('control-plane'),
      onAnswer: metrics.onAnswer('control-plane'),
      clients: createNeighbours({
        identity: { url, fetch: toIdentity },
        observability: { url, fetch: (request) => observability.served.fetch(request) },
        service_key: service_keys['control-plane'],
      }),
      outbound,
      allowed_hosts: config.allowed_hosts,
      auth_callback_path: config.auth_callback_path,
      public_url: url,
      agent_url: (slug) => agent_url.replace('{slug}', slug),
      embedded_listener: { id: keys.listener_id },
      bin_days: config.bin_days,
      git_poll_s: config.git_poll_s,
      images: imagesOf(config),
      log,
    }),
  );
  started.resolve({ control: control.served.fetch, observability: observability.served.fetch });
  const mcp = stack.use(
    await startMcpServer({
      verify: verifier('platform'),
      fetch: (request) => origin.fetch(request),
      api_url: `${url}/api`,
      // The public address may be a proxy’s, which can’t always be reached from here.
      agents: { pattern: agent_url, base: `${local_url}/agents` },
      confirmation_secrets: [keys.address_secret],
      allowed_endpoints: config.mcp_endpoints,
      log,
      onAnswer: metrics.onAnswer('mcp-server'),
    }),
  );
  const warnings = async () => [
    ...(first.revoked ? [FIRST_KEY_REVOKED] : []),
    ...(await observability.warnings()),
  ];
  const platform = servePlatform({
    health: async () => ({ ready: await control.isListening(), warnings: await warnings() }),
    metrics: () => metrics.text(),
    verify: verifier('platform'),
    log,
  });
  const origin = createOrigin({
    credentials,
    agents,
    hosts: new EdgeHosts({ socket, isOwn: ownHosts([url, agent_url]) }),
    trusted_proxies: config.trusted_proxies,
    console: config.console ? consolePages : undefined,
    services: {
      identity: identity.served,
      observability: observability.served,
      'control-plane': control.served,
      'mcp-server': withSignIn(mcp.served, url),
      platform,
    },
  });
  return {
    origin,
    ready: () => control.isListening(),
    warnings,
    endStreams: () => control.endStreams(),
  };
}
