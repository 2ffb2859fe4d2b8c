import { addresses, type Contract } from '../endpoints/endpoint.ts';
import { type OriginService, originServices } from './services.ts';

/**
 * Finds the service of a path by its first two segments, three with those that are well-known there, else by its first.
 */
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

/** The literal segments, two at most or three with what is well-known there, that a path begins with. */
function prefixOf(address: string): string {
  const [first = '', second, third] = address.split('/').slice(1);
  if (third === WELL_KNOWN) return `/${first}/${second}/${third}`;
  return second === undefined || second.startsWith('{') ? `/${first}` : `/${first}/${second}`;
}
