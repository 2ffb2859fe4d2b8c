import { join } from 'node:path';
import { ALL_WORKSPACES, type Audience, type Client, createClient } from '@roadstead/contracts';
import { identity as identityContract, type Identity } from '@roadstead/contracts/identity';
import {
  type Observability,
  observability as observabilityContract,
} from '@roadstead/contracts/observability';
import { CONTROL_PLANE_SCHEMA, type ControlPlaneOptions, startControlPlane } from '@roadstead/control-plane';
import { IDENTITY_SCHEMA, type IdentityService, startIdentity } from '@roadstead/identity';
import {
  type Config,
  createSecretBox,
  type Database,
  type Verifier,
  createVerifier,
  type Log,
  type NodeListener,
  openDatabase,
  openFolderBlobs,
  type Served,
  type Signer,
} from '@roadstead/kit';
import { startMcpServer } from '@roadstead/mcp-server';
import { startObservability } from '@roadstead/observability';
import type { DataFolder } from './data-folder.ts';
import { createMetrics } from './metrics.ts';
import { createOrigin } from './origin.ts';
import type { platformSettings } from './platform-config.ts';
import { servePlatform } from './platform-routes.ts';
import type { PlatformKeys } from './platform-keys.ts';
import type { Stores } from './stores.ts';

export interface ServicesOptions {
  readonly stack: AsyncDisposableStack;
  readonly stores: Pick<Stores, 'urls' | 'are_here'>;
  readonly keys: PlatformKeys;
  readonly url: string;
  readonly config: Config<typeof platformSettings>;
  readonly folder: DataFolder;
  readonly log: Log;
  readonly agents: NodeListener;
  readonly listener_key: string;
}

const FIRST_KEY_REVOKED =
  'The first API key was revoked: give commands another one by --api-key; or remove the file api-key in the data folder (or change ROADSTEAD_API_KEY) and start again for a new one.';

/** Every service of the platform's process, behind the one origin. */
// oxlint-disable-next-line max-lines-per-function -- a composition root reads best in one piece
export async function startServices({
  stack,
  stores: { urls, are_here },
  keys,
  url,
  config,
  folder,
  log,
  agents,
  listener_key,
}: ServicesOptions) {
  const metrics = createMetrics();
  const open = (database_url: string, schema: string) =>
    stack.use(
      openDatabase({
        url: database_url,
        max: 10,
        name: `roadstead ${schema}`,
        schema,
        onError: (error) => log.warn('a database connection broke', { error }),
      }),
    );
  const identity = stack.use(
    await startIdentity({
      db: open(urls.platform, IDENTITY_SCHEMA),
      log,
      signing_key_pem: keys.signing_key,
      default_workspace: { id: keys.workspace_id, name: 'default' },
      onAnswer: metrics.onAnswer('identity'),
    }),
  );
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
  const verifier = (audience: Audience) => createVerifier(identity.signer.public_keys, audience);
  const observability = stack.use(
    await startObservability({
      db: open(urls.traces, 'traces'),
      verify: verifier('observability'),
      // The disk of a server elsewhere is watched there.
      data_folder: are_here ? folder.path : undefined,
      log,
      onAnswer: metrics.onAnswer('observability'),
    }),
  );
  const control = stack.use(
    await startControlPlane(
      await controlOptions({
        url,
        config,
        folder,
        log,
        keys,
        identity,
        observability: observability.served,
        db: open(urls.platform, CONTROL_PLANE_SCHEMA),
        verify: verifier('control-plane'),
        onAnswer: metrics.onAnswer('control-plane'),
      }),
    ),
  );
  const mcp = stack.use(
    await startMcpServer({
      verify: verifier('platform'),
      fetch: (request) => origin.fetch(request),
      api_url: `${url}/api`,
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
    ready: () => control.ready(),
    warnings,
    metrics: () => metrics.text(),
    verify: verifier('platform'),
    log,
  });
  const origin = createOrigin({
    edge: identity.edge,
    agents,
    services: {
      identity: identity.served,
      observability: observability.served,
      'control-plane': control.served,
      'mcp-server': mcp.served,
      platform,
    },
  });
  return { listener: origin.listener, ready: () => control.ready(), warnings };
}

interface ControlWiring extends Pick<ServicesOptions, 'url' | 'config' | 'folder' | 'log' | 'keys'> {
  readonly identity: IdentityService;
  readonly observability: Served;
  readonly db: Database;
  readonly verify: Verifier;
  readonly onAnswer: NonNullable<ControlPlaneOptions['onAnswer']>;
}

async function controlOptions({
  url,
  config,
  folder,
  log,
  keys,
  identity,
  observability,
  db,
  verify,
  onAnswer,
}: ControlWiring): Promise<ControlPlaneOptions> {
  return {
    db,
    blobs: await openFolderBlobs(join(folder.path, 'blobs')),
    secret_box: createSecretBox(keys.secret_keys),
    address_secret: keys.address_secret,
    verify,
    onAnswer,
    clients: inwardClients(identity, observability, url),
    public_url: url,
    agent_url: (slug: string) => (config.agent_url ?? `${url}/agents/{slug}`).replace('{slug}', slug),
    embedded_listener: { id: keys.listener_id },
    bin_days: config.bin_days,
    log,
  };
}

/** How the control plane reaches other services: by their typed clients, bound to their handlers. */
function inwardClients(
  { served, signer }: IdentityService,
  observability: Served,
  base_url: string,
): {
  observability: (workspace_id: string) => Client<Observability>;
  identity: (workspace_id: string) => Client<Identity>;
} {
  return {
    observability: (workspace_id) =>
      createClient(observabilityContract, {
        base_url,
        fetch: asService(observability, signer, workspace_id, 'observability'),
      }),
    identity: (workspace_id) =>
      createClient(identityContract, {
        base_url,
        fetch: asService(served, signer, workspace_id, 'identity'),
      }),
  };
}

/** Another of our services, called within the process as any other client would: signed, through its handler. */
function asService(
  served: Served,
  signer: Signer,
  workspace_id: string,
  audience: Audience,
): (request: Request) => Promise<Response> {
  return (request) =>
    served.fetch(request, {
      assertion: signer.sign({ workspace_id, actor: 'service:control-plane', scopes: ['admin'] }, audience),
    });
}
