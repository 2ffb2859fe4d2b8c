import { type Client, createClient } from '@roadstead/contracts';
import { identity as contract } from '@roadstead/contracts/identity';
import { createSigner, createSigningKey } from '@roadstead/http';
import { type Clock, createSecretBox, silentLog, systemClock } from '@roadstead/kit';
import { openDatabase } from '@roadstead/postgres';
import { freshDatabase, useFixturePerTest } from '@roadstead/testing';
import { IDENTITY_SCHEMA, startIdentity } from '../identity.ts';

export const workspace = '22222222-2222-4222-8222-222222222222';

export const other = '33333333-3333-4333-8333-333333333333';

const signing_key_pem = createSigningKey();
/** Signs what our own services show. */
export const signer = createSigner(signing_key_pem);

/** Starts identity with its own workspace and one key there; it stops after the test. */
export function useIdentity() {
  const stack = useFixturePerTest(() => new AsyncDisposableStack());
  let atItsAddress: ((key: string) => Client<typeof contract>) | undefined;

  async function start(clock: Clock = systemClock) {
    const { url } = stack().use(await freshDatabase());
    const db = stack().use(openDatabase({ url, max: 4, name: 'identity test', schema: IDENTITY_SCHEMA }));
    const service = await startIdentity({
      db,
      log: silentLog,
      signing_key_pem,
      secret_box: createSecretBox(['a secret of sixteen']),
      public_url: 'http://identity',
      outbound: async () => new Response(null, { status: 404 }),
      service_keys: { edge: 'rs_edge', 'control-plane': 'rs_control_plane' },
      default_workspace: { id: workspace, name: 'default' },
      clock,
      check_answers: true,
    });
    stack().use(service);
    await service.ensureKey({ workspace_id: workspace, name: 'first', scopes: ['admin'], key: 'rs_first' });
    const as = (key: string, headers: Record<string, string> = {}) =>
      createClient(contract, {
        base_url: 'http://identity',
        fetch: async (request) =>
          service.served.fetch(
            request,
            await service.edge.inward(new Headers({ 'x-api-key': key, ...headers }), 'identity'),
          ),
      });
    const asService = () =>
      createClient(contract, {
        base_url: 'http://identity',
        fetch: (request) =>
          service.served.fetch(request, {
            assertion: signer.sign(
              { workspace_id: workspace, actor: 'service:test', scopes: ['admin'] },
              'identity',
            ),
          }),
      });
    atItsAddress = (key) =>
      createClient(contract, {
        base_url: 'http://identity',
        headers: { 'x-api-key': key },
        fetch: (request) => service.served.fetch(request),
      });
    return { ...service, db, as, asService };
  }

  return {
    start,
    /** A client that calls like our own services, without an edge. */
    atItsAddress: (key: string): Client<typeof contract> => {
      if (atItsAddress === undefined) throw new Error('Identity is not started.');
      return atItsAddress(key);
    },
  };
}
