import type Provider from 'oidc-provider';
import type { Scope } from '@roadstead/contracts';
import { CONSOLE_CLIENT, OAUTH_SCOPES } from '@roadstead/contracts/identity';
import { Problem, uuidv7 } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import { lockCredentials } from '../handing-on/lock-store.ts';
import { handOn } from '../handing-on/handing-on-rules.ts';
import { insertGrant } from '../records/grant-store.ts';
import { holdSession } from '../records/session-store.ts';
import { findSubject, type Subject } from '../records/subject-work.ts';
import { cookieOf } from '../sign-in/cookies.ts';
import type {
  Consent,
  Entrance,
  Interaction,
  InteractionRequest,
  Interactions,
} from '../pages/oauth-ports.ts';
import { wantsSignIn } from './console-rules.ts';
import { CONSOLE_GRANT_S, GRANT_S, INTERACTION_COOKIE } from './provider.ts';
import { ASKED_MS, ASKED_SCOPE, askedScopes, mcpResource, WORKSPACE } from './request-rules.ts';

interface InteractionsOptions {
  readonly db: Database;
  readonly provider: () => Promise<Provider>;
  readonly public_url: string;
}

export function createInteractions(options: InteractionsOptions): Interactions {
  return {
    read: async (asked) => (await open(asked, options))?.shown,
    finish: async (asked, outcome) => {
      const opened = await open(asked, options);
      if (opened === undefined)
        throw new Problem(
          'not_found',
          'This sign-in has ended, or began in another browser; start it again.',
        );
      const { kept, shown } = opened;
      kept.result =
        outcome === 'denied'
          ? { error: 'access_denied', error_description: 'the person who was asked did not consent' }
          : {
              login: { accountId: outcome.subject, remember: false },
              consent: { grantId: await grant(outcome, { ...options, shown }) },
              select_account: {},
            };
      await kept.save(Math.max(1, kept.exp - Math.floor(Date.now() / 1000)));
      return { location: kept.returnTo };
    },
  };
}

async function open({ id, headers }: InteractionRequest, { provider, public_url }: InteractionsOptions) {
  // A person who follows a link that somebody else began would authorize that other person's application.
  if (cookieOf(headers, INTERACTION_COOKIE) !== id) return undefined;
  const library = await provider();
  const kept = await library.Interaction.find(id);
  if (kept === undefined || kept.isExpired) return undefined;
  const { params, result } = kept;
  if (result !== undefined) return undefined;
  const client = await library.Client.find(textOf(params['client_id']) ?? '');
  if (client === undefined) return undefined;
  const shown: Interaction = {
    id,
    client: {
      id: client.clientId,
      name: client.clientName ?? null,
      uri: client.clientUri ?? null,
      redirect_uri: textOf(params['redirect_uri']) ?? null,
      is_metadata_document: client.clientIdMetadataDocument === true,
      is_console: client.clientId === CONSOLE_CLIENT,
    },
    asked: askedScopes(textOf(params[ASKED_SCOPE]) ?? ''),
    resource: mcpResource(public_url),
    workspace_id: textOf(params[WORKSPACE]),
    began_ms: Number(textOf(params[ASKED_MS])),
    wants_sign_in: wantsSignIn(textOf(params['prompt'])),
  };
  return { kept, shown };
}

/** Records the consent. @returns the id of the grant. */
async function grant(
  outcome: Consent | Entrance,
  { db, provider, shown }: InteractionsOptions & { readonly shown: Interaction },
): Promise<string> {
  const id = outcome.subject;
  const grant_id = uuidv7();
  const scopes = await db.transaction(async (tx) => {
    const subject = await findSubject(await lockCredentials(tx, [id]), id);
    if (subject === undefined) throw signedOut();
    const given = await givenBy(tx, { outcome, shown, subject });
    handOn('grant', subject, { scopes: given });
    await insertGrant(tx, {
      id: grant_id,
      subject,
      client_id: shown.client.id,
      client_name: shown.client.name,
      scopes: given,
      ...('session_id' in outcome
        ? { lifetime_s: CONSOLE_GRANT_S, session_id: outcome.session_id }
        : { lifetime_s: GRANT_S, session_id: undefined }),
    });
    return given;
  });
  const { Grant } = await provider();
  const granted = new Grant({ jti: grant_id, accountId: id, clientId: shown.client.id } as object);
  granted.addResourceScope(shown.resource, scopes.join(' '));
  await granted.save();
  return grant_id;
}

interface GrantChoice {
  readonly outcome: Consent | Entrance;
  readonly shown: Interaction;
  readonly subject: Subject;
}

/** An application gets what a person ticks. The console alone gets all that the person may do, and nothing else. */
async function givenBy(tx: Transaction, { outcome, shown, subject }: GrantChoice): Promise<readonly Scope[]> {
  if ('session_id' in outcome !== shown.client.is_console)
    throw new Problem('forbidden', 'Only the console is entered without consent.');
  if ('session_id' in outcome) {
    if (!(await holdSession(tx, outcome.session_id))) throw signedOut();
    return subject.scopes;
  }
  const given = OAUTH_SCOPES.filter((scope) => outcome.scopes.includes(scope));
  if (given.length === 0) throw new Problem('invalid', 'Choose at least one thing to allow.');
  return given;
}

const signedOut = () => new Problem('unauthenticated', 'Sign in again.');

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
