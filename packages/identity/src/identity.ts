import { identity } from '@roadstead/contracts/identity';
import {
  createSigner,
  createVerifier,
  type CallerContext,
  inwardOf,
  serve,
  type RequestHandler,
  type ServeOptions,
  type Signer,
} from '@roadstead/http';
import { type Clock, type Log, type SecretBox, systemClock } from '@roadstead/kit';
import { type Database, migrate } from '@roadstead/postgres';
import { createEdge, type Edge } from './credentials/edge.ts';
import { identityMigrations } from './identity-migrations.ts';
import { withCors } from './oauth/cors-rules.ts';
import type { Subject } from './records/subject-work.ts';
import { listGrants } from './records/grant-store.ts';
import { sightOf } from './handing-on/handing-on-rules.ts';
import { startOAuth } from './oauth/oauth.ts';
import type { Interactions } from './pages/oauth-ports.ts';
import { identityHandlers } from './assertions-routes.ts';
import { createServiceLookup, type ServiceKeys } from './services/service-keys.ts';
import type { NewKey } from './records/key-store.ts';
import { keyHandlers } from './keys/api-keys-routes.ts';
import { ensureManagedKey } from './keys/managed-key-work.ts';
import { applicationHandlers } from './sign-in/applications-routes.ts';
import type { CompanyOptions } from './sign-in/company-client.ts';
import { companyHandlers } from './sign-in/company-routes.ts';
import { consentHandlers } from './sign-in/consent-routes.ts';
import { sessionHandlers } from './sign-in/sessions-routes.ts';
import { createVisitors } from './sign-in/visitor.ts';
import { userHandlers } from './users/users-routes.ts';
import { createHolders, type HolderAddresses } from './workspaces/workspace-holders.ts';
import { CREDENTIALS_DIE_MS, workspaceDeletionLoop } from './workspaces/workspace-deletion-loop.ts';
import { workspaceHandlers } from './workspaces/workspaces-routes.ts';
import { ensureWorkspace, type NamedWorkspace } from './records/workspace-store.ts';

export interface IdentityOptions {
  /** Its search path is the schema `identity`. */
  readonly db: Database;
  readonly log: Log;
  /** The private key that signs assertions (`createSigningKey`). */
  readonly signing_key_pem: string;
  /** Seals codes, refresh tokens and the keys that sign access tokens. */
  readonly secret_box: SecretBox;
  /** The address of the origin, which is the issuer of access tokens. */
  readonly public_url: string;
  /** Fetches the descriptions that OAuth clients publish at their own addresses; without it clients must register. */
  readonly outbound: ((request: Request) => Promise<Response>) | undefined;
  readonly default_workspace: NamedWorkspace;
  /** The OpenID provider at which people sign in to the first workspace. */
  readonly company?: CompanyOptions | undefined;
  /**
   * How many workspaces may descend from one, by any of its keys; a tenth of that for one that another workspace
   * made.
   */
  readonly most_workspaces?: number;
  /** The addresses of the services that hold data of workspaces; without them no workspace can be deleted. */
  readonly holders?: HolderAddresses | undefined;
  /** How long some edge may still accept a dead credential. */
  readonly credentials_die_ms?: number;
  /** The keys by which our own services prove themselves. */
  readonly service_keys?: ServiceKeys;
  /** Called when a key or a grant was revoked, so that an edge of the same process forgets it at once. */
  readonly onRevoked?: () => void;
  readonly clock?: Clock;
  readonly check_answers?: boolean;
  readonly onAnswer?: ServeOptions['onAnswer'];
}

export interface IdentityService extends AsyncDisposable {
  /** The service as at its own address: it takes an assertion of an edge, or a credential that it verifies itself. */
  readonly served: RequestHandler;
  readonly edge: Edge;
  readonly interactions: Interactions;
  /**
   * Creates or updates a key of the platform's own, of this plain text or a new one, and removes its earlier ones of
   * the same name in the same workspace. A revoked key stays revoked.
   */
  readonly ensureKey: (
    wanted: NewKey,
  ) => Promise<{ readonly id: string; readonly key: string; readonly revoked: boolean }>;
}

export const IDENTITY_SCHEMA = 'identity';
/** The most grants that a person is shown. */
const SHOWN_GRANTS = 200;

/** Brings the schema up to date, for programs that start later. */
export const migrateIdentity = (db: Database): Promise<void> =>
  migrate(db, { schema: IDENTITY_SCHEMA, migrations: identityMigrations });

/** Brings the schema up to date and starts to serve. Disposing waits until the last uses of keys are recorded; `db` stays open. */
export async function startIdentity(options: IdentityOptions): Promise<IdentityService> {
  const { db, log, signing_key_pem, default_workspace, service_keys = {}, clock = systemClock } = options;
  const { check_answers = false, onAnswer, onRevoked } = options;
  await migrateIdentity(db);
  await ensureWorkspace(db, default_workspace);
  const now = () => clock.now();
  const signer = createSigner(signing_key_pem, now);
  const visitors = createVisitors({
    ...options,
    company: options.company,
    now,
    forgetTokens: () => edge.forgetTokens(),
  });
  const oauth = startOAuth({ ...options, visitors, now, onRevoked: () => edge.forgetTokens() });
  const edge = withCallback(createEdge({ db, signer, log, now, verifyToken: oauth.verify }), onRevoked);
  const { holders, deletions } = startDeletions(options, signer);
  const handlers = {
    ...identityHandlers({ edge, signer, now }),
    ...keyHandlers({ db, edge, now }),
    ...workspaceHandlers({ ...options, edge, holders, deleted: (id) => deletions?.wake(id) }),
    ...userHandlers({ db, forgetTokens: () => edge.forgetTokens() }),
    ...consentHandlers({ visitors, interactions: oauth.interactions }),
    ...applicationHandlers({
      visitors,
      listGrants: (subject) => grantsOf(db, subject),
      revokeGrant: oauth.revokeGrant,
    }),
    ...companyHandlers({ ...options, visitors, forgetTokens: () => edge.forgetTokens() }),
    ...sessionHandlers({ db, visitors, verifyToken: oauth.verify }),
    ...oauth.handlers,
  };
  const served = serve(identity, handlers, {
    service: 'identity',
    verify: createVerifier(signer.public_keys, { audience: 'identity', now }),
    log,
    check_answers,
    ...(onAnswer ? { onAnswer } : {}),
  });
  const findService = createServiceLookup(service_keys);
  const inwardHere = async ({ headers }: Request): Promise<CallerContext> => {
    const service = findService(headers);
    return service === undefined
      ? edge.inward(headers, 'identity')
      : { assertion: signer.sign(service, 'identity') };
  };
  return {
    served: {
      fetch: async (request, inward = inwardOf(request)) =>
        withCors(
          request,
          await served.fetch(
            request,
            isEmpty(inward) ? { ...inward, ...(await inwardHere(request)) } : inward,
          ),
        ),
    },
    edge,
    interactions: oauth.interactions,
    ensureKey: async (wanted) => {
      const { changed, ...made } = await ensureManagedKey(db, wanted);
      for (const hash of changed) edge.forget(hash);
      return made;
    },
    [Symbol.asyncDispose]: async () => {
      await deletions?.[Symbol.asyncDispose]();
      await oauth[Symbol.asyncDispose]();
      await edge[Symbol.asyncDispose]();
    },
  };
}

const grantsOf = (db: Database, { id, workspace }: Pick<Subject, 'id' | 'workspace'>) =>
  listGrants(db, workspace.id, { subject: id, after: undefined, limit: SHOWN_GRANTS, sight: sightOf({}) });

/** Without the addresses of the other services nobody can be asked, and nothing is deleted. */
function startDeletions(
  { db, log, holders: addresses, credentials_die_ms = CREDENTIALS_DIE_MS }: IdentityOptions,
  signer: Signer,
) {
  if (addresses === undefined) return { holders: undefined, deletions: undefined };
  const holders = createHolders(addresses, signer);
  return { holders, deletions: workspaceDeletionLoop({ db, log, holders, credentials_die_ms }).start() };
}

/** Calls back after the edge forgets something. */
const withCallback = (edge: Edge, onRevoked: (() => void) | undefined): Edge => ({
  ...edge,
  forget: (hash) => {
    edge.forget(hash);
    onRevoked?.();
  },
  forgetTokens: () => {
    edge.forgetTokens();
    onRevoked?.();
  },
});

const isEmpty = ({ assertion, refused }: CallerContext) => assertion === undefined && refused === undefined;
