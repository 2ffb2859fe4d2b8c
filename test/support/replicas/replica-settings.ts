import { join } from 'node:path';

/** What each service is configured by where several processes of it stand behind one address. */

export const services = [
  'identity',
  'observability',
  'mcp-server',
  'control-plane',
  'data-plane',
  'edge',
] as const;
export type Service = (typeof services)[number];

/** Those that a balancer is before; edges find data planes themselves. */
export type BalancedService = Exclude<Service, 'data-plane'>;
export const isBalanced = (service: Service): service is BalancedService => service !== 'data-plane';

export type Counts = Readonly<Record<Service, number>>;
export const ONE_OF_EACH: Counts = {
  identity: 1,
  observability: 1,
  'mcp-server': 1,
  'control-plane': 1,
  'data-plane': 1,
  edge: 1,
};
export const TWO_OF_EACH: Counts = {
  identity: 2,
  observability: 2,
  'mcp-server': 2,
  'control-plane': 2,
  'data-plane': 2,
  edge: 2,
};

/** Keys and ids of one installation, the same in all of its processes. */
export const secretNames = [
  'api',
  'edge',
  'control_plane',
  'observability',
  'listener',
  'sealing',
  'addresses',
] as const;
export interface ReplicaKeys {
  readonly secrets: Readonly<Record<(typeof secretNames)[number], string>>;
  readonly workspace_id: string;
  readonly listener_id: string;
  /** PEM. */
  readonly signing_key: string;
}

export interface ReplicaSurroundings {
  readonly keys: ReplicaKeys;
  /** Where each service is called: the address of its balancer. */
  readonly addressOf: (service: BalancedService) => string;
  readonly databases: Readonly<Record<'platform' | 'traces' | 'agents', string>>;
  readonly blobs: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string>>;

/** Seconds in which a balancer notices that a process leaves. */
const DRAIN_S = '1';

/** The settings of one process alone. @param port is its own */
export function ownSettingsOf(
  service: Service,
  { folder, number, port }: { readonly folder: string; readonly number: number; readonly port: number },
): Environment {
  if (service !== 'data-plane') return { PORT: String(port) };
  const name = `data-plane-${number}`;
  return {
    ROADSTEAD_INSTANCE: name,
    // `roadstead dev` meets the first in this folder, as it meets that of `up`.
    ROADSTEAD_DATA_DIR: number === 1 ? folder : join(folder, name),
    ROADSTEAD_DATA_PLANE_SOCKET: join(folder, `${name}.socket`),
    ROADSTEAD_AGENTS_PORT: String(port),
    ROADSTEAD_AGENTS_ADDRESS: `http://127.0.0.1:${port}`,
  };
}

/** The settings that all processes of a service share. */
export function settingsOf({
  keys: { secrets, workspace_id, listener_id, signing_key },
  addressOf,
  databases,
  blobs,
}: ReplicaSurroundings): Readonly<Record<Service, Environment>> {
  const url = addressOf('edge');
  const identity = { ROADSTEAD_IDENTITY_URL: addressOf('identity') };
  const observability = { ROADSTEAD_OBSERVABILITY_URL: addressOf('observability') };
  const control_plane = { ROADSTEAD_CONTROL_PLANE_URL: addressOf('control-plane') };
  const all = { ROADSTEAD_URL: url, ROADSTEAD_DRAIN_S: DRAIN_S };
  const sealing = { ROADSTEAD_SECRET_KEY: secrets.sealing };
  return {
    identity: {
      ...all,
      ...control_plane,
      ...observability,
      ...sealing,
      DATABASE_URL: databases.platform,
      ROADSTEAD_SIGNING_KEY: signing_key,
      ROADSTEAD_WORKSPACE_ID: workspace_id,
      ROADSTEAD_API_KEY: secrets.api,
      ROADSTEAD_EDGE_KEY: secrets.edge,
      ROADSTEAD_CONTROL_PLANE_KEY: secrets.control_plane,
      ROADSTEAD_OBSERVABILITY_KEY: secrets.observability,
      ROADSTEAD_LISTENER_KEY: secrets.listener,
    },
    observability: {
      ...all,
      ...identity,
      ...sealing,
      ...blobs,
      TRACES_DATABASE_URL: databases.traces,
      ROADSTEAD_OBSERVABILITY_KEY: secrets.observability,
    },
    'mcp-server': { ...all, ...identity, ...sealing },
    'control-plane': {
      ...all,
      ...identity,
      ...observability,
      ...sealing,
      ...blobs,
      DATABASE_URL: databases.platform,
      ROADSTEAD_CONTROL_PLANE_KEY: secrets.control_plane,
      ROADSTEAD_ADDRESS_SECRET: secrets.addresses,
      ROADSTEAD_LISTENER_ID: listener_id,
    },
    'data-plane': {
      ROADSTEAD_LISTENER_ID: listener_id,
      ROADSTEAD_LISTENER_KEY: secrets.listener,
      ROADSTEAD_CONTROL_URL: url,
      ROADSTEAD_AGENTS_DATABASE_URL: databases.agents,
      ROADSTEAD_AGENT_URL: `${url}/agents/{slug}`,
    },
    edge: {
      ...all,
      ...identity,
      ...control_plane,
      ...observability,
      ROADSTEAD_MCP_SERVER_URL: addressOf('mcp-server'),
      ROADSTEAD_EDGE_KEY: secrets.edge,
      ROADSTEAD_CONSOLE: 'false',
    },
  };
}
