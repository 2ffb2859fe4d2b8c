import { agentServer } from '../agent-server/index.ts';
import { controlPlane } from '../control-plane/index.ts';
import { addresses, type Contract } from '../endpoints/endpoint.ts';
import { identity } from '../identity/index.ts';
import { mcpServer } from '../mcp-server/index.ts';
import { observability } from '../observability/index.ts';
import { platform } from '../platform/index.ts';

/** Every service at the one origin. The agent server's paths are below `/agents/{slug}`. */
export const originServices = {
  identity,
  'control-plane': controlPlane,
  observability,
  'mcp-server': mcpServer,
  platform,
} as const satisfies Readonly<Record<string, Contract>>;
export type OriginService = keyof typeof originServices;

export const services = { ...originServices, 'agent-server': agentServer } as const satisfies Readonly<
  Record<string, Contract>
>;

/** Finds the service of a path by its first two segments, or three below a well-known address, else by its first. */
export type OriginRouter = (path: string) => OriginService | undefined;

export function createOriginRouter(): OriginRouter {
  const byPrefix = new Map<string, OriginService>();
  for (const [service, contract] of Object.entries(originServices) as [OriginService, Contract][]) {
    for (const endpoint of Object.values(contract))
      for (const address of addresses(endpoint)) byPrefix.set(prefixOf(address), service);
  }
  return (path) => {
    const [first = '', second, third] = path.split('/', 4).slice(1);
    return (
      (third === WELL_KNOWN ? byPrefix.get(`/${first}/${second}/${third}`) : undefined) ??
      byPrefix.get(`/${first}/${second ?? ''}`) ??
      byPrefix.get(`/${first}`)
    );
  };
}

const WELL_KNOWN = '.well-known';

/** The literal segments at the beginning of a path: two at most, or three below a well-known address. */
function prefixOf(address: string): string {
  const [first = '', second, third] = address.split('/').slice(1);
  if (third === WELL_KNOWN) return `/${first}/${second}/${third}`;
  return second === undefined || second.startsWith('{') ? `/${first}` : `/${first}/${second}`;
}
