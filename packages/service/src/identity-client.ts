import { type Client, createClient } from '@roadstead/contracts';
import { type IdentityContract, identity } from '@roadstead/contracts/identity';

export interface IdentityAddress {
  readonly base_url: string;
  /** The key of a service, or of a listener; the public keys are read without one. */
  readonly key?: string;
  /** In place of the network. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** IdentityContract, as every other service asks it. */
export function identityClient({ base_url, key, fetch }: IdentityAddress): Client<IdentityContract> {
  return createClient(identity, {
    base_url,
    ...(key === undefined ? {} : { headers: { 'x-api-key': key } }),
    ...(fetch === undefined ? {} : { fetch }),
  });
}
