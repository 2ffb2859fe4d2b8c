import { type Client, createClient } from '@roadstead/contracts';
import { type IdentityContract, identity as contract } from '@roadstead/contracts/identity';
import { createSigningKey } from '@roadstead/http';
import { type Clock, createSecretBox, silentLog, systemClock } from '@roadstead/kit';
import { type Database, openDatabase } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { identityMigrations } from '../identity-migrations.ts';
import { IDENTITY_SCHEMA, type IdentityService, startIdentity } from '../identity.ts';

export const WORKSPACE = '22222222-2222-4222-8222-222222222222';
export const FIRST_KEY = 'rs_first';

export interface IdentityFixture extends AsyncDisposable {
  readonly service: IdentityService;
  readonly db: Database;
  /** A client that calls with a key, through the edge. */
  readonly as: (key: string) => Client<IdentityContract>;
}

/** Identity over a database of its own, with one workspace and an administrator's key. */
export async function openIdentity(
  clock: Clock = systemClock,
  given: { readonly most_workspaces?: number } = {},
): Promise<IdentityFixture> {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(
    await freshDatabase('identity', [{ schema: IDENTITY_SCHEMA, migrations: identityMigrations }]),
  );
  const db = stack.use(openDatabase({ url, max: 4, name: 'identity test', schema: IDENTITY_SCHEMA }));
  const service = stack.use(
    await startIdentity({
      db,
      log: silentLog,
      signing_key_pem: createSigningKey(),
      secret_box: createSecretBox(['a secret of the fixture']),
      public_url: 'http://identity',
      outbound: async () => new Response(null, { status: 404 }),
      default_workspace: { id: WORKSPACE, name: 'default' },
      clock,
      check_answers: true,
      ...given,
    }),
  );
  await service.ensureKey({ workspace_id: WORKSPACE, name: 'first', scopes: ['admin'], key: FIRST_KEY });
  const opened = stack.move();
  return {
    service,
    db,
    as: (key) =>
      createClient(contract, {
        base_url: 'http://identity',
        fetch: async (request) =>
          service.served.fetch(
            request,
            await service.edge.inward(new Headers({ 'x-api-key': key }), 'identity'),
          ),
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
