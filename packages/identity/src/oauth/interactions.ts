import type Provider from 'oidc-provider';
import { OAUTH_SCOPES } from '@roadstead/contracts/identity';
import { Problem, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { lockCredentials } from '../handing-on/lock-store.ts';
import { handOn } from '../handing-on/handing-on-rules.ts';
import { insertGrant } from '../records/grant-store.ts';
import { findSubject } from '../records/subject-work.ts';
import { cookieOf } from '../sign-in/cookies.ts';
import type { Consent, Interaction, InteractionRequest, Interactions } from '../pages/oauth-ports.ts';
import { GRANT_S, INTERACTION_COOKIE } from './provider.ts';
import { ASKED_SCOPE, askedScopes, mcpResource } from './request-rules.ts';

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
    },
    asked: askedScopes(textOf(params[ASKED_SCOPE]) ?? ''),
    resource: mcpResource(public_url),
  };
  return { kept, shown };
}

/** Records the consent. @returns the id of the grant. */
async function grant(
  { subject: id, scopes }: Consent,
  { db, provider, shown }: InteractionsOptions & { readonly shown: Interaction },
): Promise<string> {
  const given = OAUTH_SCOPES.filter((scope) => scopes.includes(scope));
  if (given.length === 0) throw new Problem('invalid', 'Choose at least one thing to allow.');
  const grant_id = uuidv7();
  await db.transaction(async (tx) => {
    const subject = await findSubject(await lockCredentials(tx, [id]), id);
    if (subject === undefined) throw new Problem('unauthenticated', 'Sign in again.');
    handOn('grant', subject, { scopes: given });
    await insertGrant(tx, {
      id: grant_id,
      subject,
      client_id: shown.client.id,
      client_name: shown.client.name,
      scopes: given,
      lifetime_s: GRANT_S,
    });
  });
  const { Grant } = await provider();
  const granted = new Grant({ jti: grant_id, accountId: id, clientId: shown.client.id } as object);
  granted.addResourceScope(shown.resource, given.join(' '));
  await granted.save();
  return grant_id;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
