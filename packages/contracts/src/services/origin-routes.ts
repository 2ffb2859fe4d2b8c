import { addresses, type Contract } from '../endpoints/endpoint.ts';
import { type OriginService, originServices } from './services.ts';

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
