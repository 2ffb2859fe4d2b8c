import { identity } from '@roadstead/contracts/identity';
import {
  type Clock,
  createSigner,
  createVerifier,
  type Database,
  type Inward,
  inwardOf,
  type Log,
  migrate,
  serve,
  type Served,
  type ServeOptions,
  systemClock,
} from '@roadstead/kit';
import { createEdge, type Edge } from './edge.ts';
import { identityMigrations } from './identity-migrations.ts';
import { identityHandlers } from './identity-routes.ts';
import { createServiceLookup, type ServiceKeys } from './services/service-keys.ts';
import type { NewKey } from './keys/key-store.ts';
import { ensureManagedKey } from './keys/managed-key-work.ts';
import { userHandlers } from './users/user-routes.ts';
import { workspaceHandlers } from './workspaces/workspace-routes.ts';
import { ensureWorkspace } from './workspaces/workspace-store.ts';

export interface IdentityOptions {
  /** Its search path is the schema `identity`. */
  readonly db: Database;
  readonly log: Log;
  /** The private key that signs assertions (`createSigningKey`). */
  readonly signing_key_pem: string;
  readonly default_workspace: { readonly id: string; readonly name: string };
  /** The keys by which our own services prove themselves. */
  readonly service_keys?: ServiceKeys;
  /** Called when a key was revoked, so that an edge of the same process forgets it at once. */
  readonly onRevoked?: () => void;
  readonly clock?: Clock;
  readonly check_answers?: boolean;
  readonly onAnswer?: ServeOptions['onAnswer'];
}

export interface IdentityService extends AsyncDisposable {
  /** As at its own address: with an assertion of an edge, or with a credential that it verifies itself. */
  readonly served: Served;
  readonly edge: Edge;
  /**
   * Creates or updates a key of the platform's own, of this plain text or a new one, and removes its earlier ones of the
   * same name in the same workspace. A key that somebody revoked stays revoked.
   */
  readonly ensureKey: (
    wanted: NewKey,
  ) => Promise<{ readonly id: string; readonly key: string; readonly revoked: boolean }>;
}

export const IDENTITY_SCHEMA = 'identity';

/** Brings the schema up to date and starts to serve. Disposing waits until the last uses of keys are recorded; `db` stays open. */
export async function startIdentity({
  db,
  log,
  signing_key_pem,
  default_workspace,
  service_keys = {},
  clock = systemClock,
  check_answers = false,
  onAnswer,
  onRevoked,
}: IdentityOptions): Promise<IdentityService> {
  await migrate(db, { schema: IDENTITY_SCHEMA, migrations: identityMigrations });
  await ensureWorkspace(db, default_workspace);
  const now = () => clock.now();
  const signer = createSigner(signing_key_pem, now);
  const edge = withCallback(createEdge({ db, signer, log, now }), onRevoked);
  const handlers = {
    ...identityHandlers({ db, edge, signer, now }),
    ...workspaceHandlers(db),
    ...userHandlers(db),
  };
  const served = serve(identity, handlers, {
    service: 'identity',
    verify: createVerifier(signer.public_keys, { audience: 'identity', now }),
    log,
    check_answers,
    ...(onAnswer ? { onAnswer } : {}),
  });
  const findService = createServiceLookup(service_keys);
  const inwardHere = async ({ headers }: Request): Promise<Inward> => {
    const service = findService(headers);
    return service === undefined
      ? edge.inward(headers, 'identity')
      : { assertion: signer.sign(service, 'identity') };
  };
  return {
    served: {
      fetch: async (request, inward = inwardOf(request)) =>
        served.fetch(request, isEmpty(inward) ? await inwardHere(request) : inward),
    },
    edge,
    ensureKey: async (wanted) => {
      const { changed, ...made } = await ensureManagedKey(db, wanted);
      for (const hash of changed) edge.forget(hash);
      return made;
    },
    [Symbol.asyncDispose]: () => edge[Symbol.asyncDispose](),
  };
}

/** Calls back after a key was forgotten. */
const withCallback = (edge: Edge, onRevoked: (() => void) | undefined): Edge => ({
  ...edge,
  forget: (hash) => {
    edge.forget(hash);
    onRevoked?.();
  },
});

const isEmpty = ({ assertion, refused }: Inward) => assertion === undefined && refused === undefined;
