import { addresses, type Contract } from '../endpoint.ts';
import { type OriginService, originServices } from './services.ts';

/** Which service a path belongs to: by its first two segments, else by its first. */
export type OriginRouter = (path: string) => OriginService | undefined;

export function createOriginRouter(): OriginRouter {
  const byPrefix = new Map<string, OriginService>();
  for (const [service, contract] of Object.entries(originServices) as [OriginService, Contract][]) {
    for (const endpoint of Object.values(contract))
      for (const address of addresses(endpoint)) byPrefix.set(prefixOf(address), service);
  }
  return (path) => {
    const [first = '', second] = path.split('/', 3).slice(1);
    return byPrefix.get(`/${first}/${second ?? ''}`) ?? byPrefix.get(`/${first}`);
  };
}

/** The literal segments, two at most, that a path begins with. */
function prefixOf(address: string): string {
  const [first = '', second] = address.split('/').slice(1);
  return second === undefined || second.startsWith('{') ? `/${first}` : `/${first}/${second}`;
}
