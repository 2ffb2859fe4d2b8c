import { z } from 'zod';
import { type Client, createClient, ownHosts } from '@roadstead/contracts';
import { controlPlane } from '@roadstead/contracts/control-plane';
import type { IdentityContract } from '@roadstead/contracts/identity';
import { createProxy, createRoutedProxy } from '@roadstead/http';
import { type Config, type Log, setting } from '@roadstead/kit';
import {
  Address,
  addressSetting,
  createCredentials,
  createFetchingVerifier,
  createServiceCalls,
  identityClient,
  identityUrlSetting,
  ownAddressesSetting,
  ServiceKey,
  type ServiceProgram,
} from '@roadstead/service';
import { consolePages } from '../console/console.ts';
import { consoleSetting } from '../console/console-setting.ts';
import { trustedProxiesSetting } from './client-address.ts';
import { EdgeHosts } from './edge-hosts.ts';
import { createMetrics } from './metrics.ts';
import { createOrigin, type OriginOptions } from './origin.ts';
import { Places } from './places.ts';
import { servePlatform } from './platform-routes.ts';

const settings = {
  identity_url: identityUrlSetting,
  control_plane_url: addressSetting('ROADSTEAD_CONTROL_PLANE_URL', 'Address of the control plane.'),
  observability_url: addressSetting('ROADSTEAD_OBSERVABILITY_URL', 'Address of observability.'),
  mcp_server_url: addressSetting('ROADSTEAD_MCP_SERVER_URL', 'Address of the MCP server.'),
  public_url: setting({
    env: 'ROADSTEAD_URL',
    doc: 'Its own address, as clients have it; no agent answers at its host.',
    schema: Address.optional(),
  }),
  socket: setting({
    env: 'ROADSTEAD_DATA_PLANE_SOCKET',
    doc: 'Unix socket of a data plane on the same machine; unset, data planes are called where the control plane says that they are (their ROADSTEAD_AGENTS_ADDRESS).',
    schema: z.string().min(1).optional(),
  }),
  own_addresses: ownAddressesSetting,
  edge_key: setting({
    env: 'ROADSTEAD_EDGE_KEY',
    doc: 'Key by which it proves itself to identity.',
    schema: ServiceKey,
    secret: true,
  }),
  trusted_proxies: trustedProxiesSetting,
  console: consoleSetting,
};

/** The edge that `up` has within its process, in front of services elsewhere. */
export const edgeProgram: ServiceProgram<typeof settings> = {
  name: 'edge',
  summary: 'The one origin: verifies callers once and passes requests on to the services.',
  settings,
  start: async (config, log) => {
    using stack = new DisposableStack();
    const elsewhere = (name: string, url: string) =>
      Object.assign(stack.use(createProxy({ name, at: { url } })), { url });
    const identity = identityClient({ base_url: config.identity_url, key: config.edge_key });
    const services = {
      identity: elsewhere('identity service', config.identity_url),
      'control-plane': elsewhere('control plane', config.control_plane_url),
      observability: elsewhere('observability service', config.observability_url),
      'mcp-server': elsewhere('MCP server', config.mcp_server_url),
    };
    // A balancer that asks keeps this edge: what else is away, it would be away behind another edge as well.
    const health = async () => ({
      ready: true,
      warnings: (await Promise.all(Object.entries(services).map(warningsOf))).flat(),
    });
    const metrics = createMetrics();
    const platform = servePlatform({
      health,
      metrics: () => metrics.text(),
      verify: createFetchingVerifier(identity, 'platform'),
      log,
    });
    const { listener, onUpgrade } = createOrigin({
      credentials: createCredentials(identity),
      services: { ...services, platform },
      trusted_proxies: config.trusted_proxies,
      console: config.console ? consolePages : undefined,
      ...agentsOf({ config, identity, log, stack }),
      onAnswer: (service, status, took_ms) => metrics.onAnswer(service)('passed on', status, took_ms),
    });
    const opened = stack.move();
    return { listener, onUpgrade, health, [Symbol.asyncDispose]: async () => opened.dispose() };
  },
};

/** The edge asks for itself, and for no workspace. */
const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000';

/** Agents answer at none of these hosts, whatever deployments name. */
const ownAddresses = ({
  public_url,
  own_addresses,
  ...config
}: Config<typeof settings>): readonly string[] => [
  ...(public_url === undefined ? [] : [public_url]),
  ...own_addresses,
  config.identity_url,
  config.control_plane_url,
  config.observability_url,
  config.mcp_server_url,
];

interface AgentsOptions {
  readonly config: Config<typeof settings>;
  readonly identity: Client<IdentityContract>;
  readonly log: Log;
  readonly stack: DisposableStack;
}

/** The way to agents: by the socket of the one data plane, or to where the control plane says that they are. */
function agentsOf({ config, identity, log, stack }: AgentsOptions): Pick<OriginOptions, 'agents' | 'hosts'> {
  const isOwn = ownHosts(ownAddresses(config));
  const { socket } = config;
  if (socket !== undefined)
    return {
      agents: stack.use(createProxy({ name: 'data plane', at: { socket } })),
      hosts: new EdgeHosts({ socket, isOwn }),
    };
  const calls = createServiceCalls(identity);
  const client = createClient(controlPlane, {
    base_url: config.control_plane_url,
    fetch: calls.to('control-plane', { workspace_id: NO_WORKSPACE }),
  });
  const assertion = () => calls.assertion('agent-server', NO_WORKSPACE);
  const places = new Places({ client, assertion, isOwn, log });
  return {
    agents: stack.use(createRoutedProxy({ name: 'data plane', finder: places })),
    hosts: places,
  };
}

const Health = z.object({ warnings: z.array(z.string()) });
/** Balancers wait for no more than seconds themselves. */
const HEALTH_MS = 500;

/** What a service says of itself. */
async function warningsOf([name, { url }]: [string, { readonly url: string }]): Promise<string[]> {
  try {
    const answer = await fetch(`${url}/ok`, { signal: AbortSignal.timeout(HEALTH_MS) });
    if (answer.ok) return Health.parse(await answer.json()).warnings;
  } catch {
    // Whatever else it answers, it is not there.
  }
  return [`The service ${name} is not ready; what it serves answers 503.`];
}
