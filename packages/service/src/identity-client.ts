import { type Client, type ClientFetch, createClient } from '@roadstead/contracts';
import { patientFetch } from './patient-fetch.ts';
import { type IdentityContract, identity } from '@roadstead/contracts/identity';

export interface IdentityAddress {
  readonly base_url: string;
  /** The key of a service, or of a listener; the public keys are read without one. */
  readonly key?: string;
  /** The workspace in which one of our services acts. */
  readonly workspace_id?: string;
  /** Used in place of the network. */
  readonly fetch?: ClientFetch;
}

/** A client of IdentityContract, as all other services use it. */
export function identityClient({
  base_url,
  key,
  workspace_id,
  fetch = patientFetch,
}: IdentityAddress): Client<IdentityContract> {
  return createClient(identity, {
    base_url,
    headers: {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(workspace_id === undefined ? {} : { 'x-tenant-id': workspace_id }),
    },
    fetch,
  });
}
