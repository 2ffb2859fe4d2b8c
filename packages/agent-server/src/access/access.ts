import { addressForCode, ALL_WORKSPACES, headersForCode, type Principal } from '@roadstead/contracts';
import type { AuthUser } from '@roadstead/contracts/host';
import { handlerFor } from '@roadstead/contracts/host-auth';
import type { AuthSettings } from '@roadstead/contracts/langgraph-json';
import type { CallerContext, Verifier } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Runs } from '../runs/runs.ts';
import type { AccessRules, Attempt, Caller, Permission } from './caller.ts';
import { permissionOf, signedInOf } from './host-answer-rules.ts';
import { KnownUsers } from './known-users.ts';
import { problemOfRefusal } from './refusal-rules.ts';
import { trustOf } from './trust-rules.ts';

export interface AccessOptions {
  /** The deployment's workspace. */
  readonly workspace_id: string;
  readonly verify: Verifier;
  /** The `auth` of the revision that serves; undefined: keys of the platform decide. */
  readonly own: () => OwnAuth | undefined;
  readonly ask: Runs['ask'];
  /** How long a handler may take; 30 s unless said. */
  readonly patience_ms?: number;
}

export interface OwnAuth {
  readonly settings: AuthSettings;
  /** The events for which it has handlers. */
  readonly handlers: readonly string[];
}

/** A caller whom the deployment's own `auth` has identified. */
interface SignedIn extends Principal {
  readonly user: AuthUser;
}

const PATIENCE_MS = 30_000;
const MEMBER: AuthUser = {
  kind: 'StudioUser',
  identity: 'langgraph-studio-user',
  display_name: 'langgraph-studio-user',
  permissions: [],
  is_authenticated: true,
};

/**
 * Identifies the callers of a deployment and decides what they may see and do. Without an `auth` of its own, keys of
 * the platform identify them and reach all that their workspace, or their subject, has here. With one, its handlers
 * decide who calls, whether an action is allowed, with which values, and which metadata things must have to be visible.
 */
export class Access implements AccessRules {
  readonly #options: AccessOptions;
  readonly #users = new KnownUsers();

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /**
   * Adds to a request's context how its caller is identified.
   * @throws Problem `not_found` for a key of another workspace
   */
  async admit(request: Request, inward: CallerContext): Promise<CallerContext> {
    const { verify, workspace_id, own } = this.#options;
    const principal = inward.assertion === undefined ? undefined : await verify(inward.assertion);
    // A deployment of another workspace is reported as missing.
    if (principal !== undefined && ![workspace_id, ALL_WORKSPACES].includes(principal.workspace_id))
      throw new Problem('not_found', 'No deployment answers here.');
    const auth = own();
    if (auth === undefined) return inward;
    // The platform's identity no longer counts, not even for the deployment's own code.
    const { assertion: _, identify: __, refused, ...rest } = inward;
    const trusts = trustOf(auth.settings, request.headers);
    if (principal !== undefined && trusts !== 'handler')
      return { ...rest, identify: async () => this.#memberOf(principal) };
    if (trusts === 'keys') return { ...rest, ...(refused === undefined ? {} : { refused }) };
    let known: Promise<Principal> | undefined;
    return { ...rest, identify: () => (known ??= this.#authenticate(request, { path: inward.path, auth })) };
  }

  async authorize(caller: Caller, attempt: Attempt): Promise<Permission> {
    const { user, subject } = caller;
    if (user === null)
      return subject === null ? { value: attempt.value, filters: null } : permitSubject(subject, attempt);
    const handlers = this.#options.own()?.handlers;
    // A caller signed in by an `auth` that is gone by now is unknown.
    if (handlers === undefined)
      throw new Problem('unauthenticated', 'The rules of access have changed: sign in again.');
    const { resource, action } = attempt;
    if (handlerFor(handlers, attempt) === undefined) return { value: attempt.value, filters: null };
    const value = Object.fromEntries(Object.entries(attempt.value).map(([name, one]) => [name, one ?? null]));
    const said = await this.#asked(this.#options.ask('authorize', { user, resource, action, value }));
    const permission = permissionOf(said);
    if (permission === undefined) throw new Problem('internal', 'The deployment’s own auth failed.');
    if ('refused' in permission) throw problemOfRefusal(permission.refused);
    return permission;
  }

  async #authenticate(
    request: Request,
    { path, auth: { settings } }: { readonly path: string | undefined; readonly auth: OwnAuth },
  ): Promise<SignedIn> {
    const headers = headersForCode(request.headers);
    const cached = this.#users.of(settings, headers);
    if (cached.user !== undefined) return this.#signedIn(cached.user);
    const { pathname, search } = new URL(request.url);
    const url = `${path ?? pathname}${addressForCode(search)}`;
    const head = { method: request.method, url, headers: [...headers] };
    const said = await this.#asked(this.#options.ask('authenticate', head));
    const known = signedInOf(said);
    if (known === undefined) throw new Problem('internal', 'The deployment’s own auth failed.');
    if ('refused' in known) throw problemOfRefusal(known.refused);
    cached.keep(known.user);
    return this.#signedIn(known.user);
  }

  /** A key bound to a subject acts as no member of the workspace; any other may do what its scopes allow. */
  #memberOf({ scopes, subject }: Principal): SignedIn {
    if (subject !== undefined && subject !== null)
      throw new Problem(
        'forbidden',
        'This key is bound to a subject, and this deployment knows its own users.',
      );
    return { ...this.#signedIn(MEMBER), scopes };
  }

  #signedIn(user: AuthUser): SignedIn {
    const { workspace_id } = this.#options;
    return { workspace_id, actor: `user:${user.identity}`, scopes: ['agents:invoke'], user };
  }

  /** A handler that cannot be reached counts as a refusal. */
  async #asked<T>(answer: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new Problem('unavailable', 'The deployment’s own auth does not answer.')),
      this.#options.patience_ms ?? PATIENCE_MS,
    );
    return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer));
  }
}

/** The caller behind the principal that an endpoint gets. */
export function callerOf(principal: Principal): Caller {
  const { workspace_id, scopes, subject = null } = principal;
  const user = 'user' in principal ? (principal as SignedIn).user : null;
  const owner =
    subject === null ? `workspace:${workspace_id}` : `workspace:${workspace_id}:subject:${subject}`;
  return {
    workspace_id,
    principal: user === null ? owner : `user:${user.identity}`,
    user,
    scopes,
    subject: user === null ? subject : null,
  };
}

/** The metadata field that names the subject for whom something was made. */
const SUBJECT_FIELD = 'roadstead_subject';

/** The actions that make or change something. */
const MAKING = ['create', 'update', 'create_run'];

/**
 * A key bound to a subject sees what it made, and assistants, which are there for all.
 * @throws Problem `forbidden`
 */
export function permitSubject(subject: string, { resource, action, value }: Attempt): Permission {
  if (resource === 'store') return permitNamespace(subject, value);
  if (resource === 'assistants' && !MAKING.includes(action) && action !== 'delete')
    return { value, filters: null };
  const own = { [SUBJECT_FIELD]: subject };
  const stamped = MAKING.includes(action)
    ? { ...value, metadata: { ...(value['metadata'] as object | null), ...own } }
    : value;
  return { value: stamped, filters: own };
}

/** A label holds no dots, because clients join labels by them. */
const subjectLabel = (subject: string) => subject.replaceAll('%', '%25').replaceAll('.', '%2E');

function permitNamespace(subject: string, value: Attempt['value']): Permission {
  const label = subjectLabel(subject);
  const namespace = value['namespace'];
  if (!Array.isArray(namespace) || namespace[0] !== label)
    throw new Problem('forbidden', 'This key is bound to a subject: it reaches its own namespaces only.', {
      hint: `They begin with ${JSON.stringify(label)}.`,
    });
  return { value, filters: null };
}
