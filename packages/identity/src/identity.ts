import { identity } from '@roadstead/contracts';
import {
  createSigner,
  createVerifier,
  type Database,
  type Log,
  migrate,
  serve,
  type Served,
  type ServeOptions,
  type Signer,
} from '@roadstead/kit';
import { createEdge, type Edge } from './edge.ts';
import { identityMigrations } from './identity-migrations.ts';
import { identityHandlers } from './identity-routes.ts';
import { type NewKey, revokeOthersNamed, upsertKey } from './keys/key-store.ts';

export interface IdentityOptions {
  /** Its search path is the schema `identity`. */
  readonly db: Database;
  readonly log: Log;
  /** The private key that signs assertions (`createSigningKey`). */
  readonly signing_key_pem: string;
  readonly default_workspace: { readonly id: string; readonly name: string };
  readonly onAnswer?: ServeOptions['onAnswer'];
}

export interface IdentityService {
  readonly served: Served;
  readonly edge: Edge;
  readonly signer: Signer;
  /** Makes a key of this plain text stand, the only one of its name. */
  readonly ensureKey: (wanted: NewKey & { readonly key: string }) => Promise<string>;
}

export const IDENTITY_SCHEMA = 'identity';

export async function startIdentity({
  db,
  log,
  signing_key_pem,
  default_workspace,
  onAnswer,
}: IdentityOptions): Promise<IdentityService> {
  await migrate(db, { schema: IDENTITY_SCHEMA, migrations: identityMigrations });
  await db.run('insert into workspaces (id, name) values ($1, $2) on conflict (id) do nothing', [
    default_workspace.id,
    default_workspace.name,
  ]);
  const signer = createSigner(signing_key_pem);
  const edge = createEdge({ db, signer, log });
  const verify = createVerifier(signer.public_keys, 'identity');
  return {
    served: serve(identity, identityHandlers({ db, edge, signer }), {
      service: 'identity',
      verify,
      log,
      ...(onAnswer ? { onAnswer } : {}),
    }),
    edge,
    signer,
    ensureKey: async (wanted) => {
      const id = await upsertKey(db, wanted);
      await revokeOthersNamed(db, wanted.name, id);
      return id;
    },
  };
}
