import { lookup as lookUp } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Problem } from '@roadstead/kit';
import { isPublicAddress } from './address-ranges.ts';
import { parseAllowedHosts } from './allowed-hosts.ts';

export interface AddressGuardOptions {
  /** Hosts that may be called although they are private, in the format of `ROADSTEAD_ALLOWED_HOSTS`. */
  readonly allowed_hosts?: readonly string[];
  /** In place of the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/** A host by its name, or by an address without brackets. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** Decides which of the hosts that users name may be connected to. */
export interface AddressGuard {
  /**
   * The addresses to connect to. A name is resolved once, and the caller connects to what this returns.
   * @throws Problem `host_not_allowed`, or the resolver's error.
   */
  addressesOf(at: HostAndPort): Promise<readonly string[]>;
  /** @throws Problem where a literal address may not be called; names are checked once they are resolved. */
  checkWritten(at: HostAndPort): void;
}

export function createAddressGuard({
  allowed_hosts = [],
  resolve = resolveName,
}: AddressGuardOptions): AddressGuard {
  const allowed = parseAllowedHosts(allowed_hosts);
  /** A name that also resolves to a private host is refused. */
  const check = ({ host, port }: HostAndPort, addresses: readonly string[]) => {
    const isCallable = (address: string) => isPublicAddress(address) || allowed.hasAddress(address, port);
    if (addresses.length > 0 && (allowed.hasHost(host, port) || addresses.every(isCallable)))
      return addresses;
    throw new Problem('invalid', `${host} is not a host of the public internet.`, {
      code: 'host_not_allowed',
      hint: 'The operator can allow it by ROADSTEAD_ALLOWED_HOSTS.',
    });
  };
  return {
    addressesOf: async (at) => check(at, isIP(at.host) === 0 ? await resolve(at.host) : [at.host]),
    checkWritten: (at) => {
      if (isIP(at.host) !== 0) check(at, [at.host]);
      // Names of this machine, whatever a resolver says (RFC 6761).
      else if (/^(.+\.)?localhost\.?$/i.test(at.host)) check(at, ['127.0.0.1']);
    },
  };
}

async function resolveName(host: string): Promise<readonly string[]> {
  return (await lookUp(host, { all: true, order: 'verbatim' })).map(({ address }) => address);
}
