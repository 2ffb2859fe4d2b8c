import type { Principal } from '@roadstead/contracts';
import type { authTokens } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import { uuidv7 } from '@roadstead/kit';
import { callerOf, userOf, tokenFilterOf } from '../acting-rules.ts';
import type { AuthContext } from '../auth-context.ts';
import { importedFields, readOwnToken } from '../connections/connection-work.ts';
import { chooseDefault } from '../flows/finish-work.ts';
import { readProvider } from '../providers/provider-store.ts';
import { insertTokenEvent, listTokenEvents } from './token-event-store.ts';
import { removeToken } from './token-removal-work.ts';
import {
  clearDefault,
  findToken,
  insertToken,
  listTokens,
  listTokensOfKind,
  lockUserTokens,
  summaryOf,
  updateTokenMetadata,
} from './token-store.ts';

type TokenHandlers = Handlers<typeof authTokens>;

export function tokenHandlers(context: AuthContext): TokenHandlers {
  const { db } = context;
  const listOwn = async (
    principal: Principal,
    query: { provider_id?: string | undefined; user_id?: string | undefined },
  ) => {
    const caller = callerOf(principal);
    const { workspace_id } = caller;
    const whose = tokenFilterOf(caller, query.user_id);
    return listTokens(db, { workspace_id, provider_id: query.provider_id, whose });
  };
  return {
    listAuthTokens: async ({ principal, query }) => (await listOwn(principal, query)).map(summaryOf),
    deleteAuthTokens: async ({ principal, workspace_id, query }) => {
      const { provider_id } = query;
      await readProvider(db, { workspace_id, provider_id });
      const own = await listOwn(principal, query);
      for (const token of own) await removeToken(context, { token, actor: principal.actor });
      return { message: sentenceAbout(own.length, provider_id), provider_id };
    },
    hasAuthToken: async ({ principal, query }) => ({
      has_token: (await listOwn(principal, query)).length > 0,
    }),
    haveAuthTokens: async ({ principal, query, body }) => {
      const had = new Set((await listOwn(principal, query)).map(({ provider_id }) => provider_id));
      return { has_token: Object.fromEntries(body.provider_ids.map((id) => [id, had.has(id)])) };
    },
    importAuthToken: async ({ principal, query, body }) => importToken(context, { principal, query, body }),
    hasSlackTokens: async ({ workspace_id }) => ({
      has_token: (await listTokensOfKind(db, { workspace_id, kind: 'slack' })).length > 0,
    }),
    deleteSlackTokens: async ({ workspace_id, principal }) => {
      const all = await listTokensOfKind(db, { workspace_id, kind: 'slack' });
      for (const token of all) await removeToken(context, { token, actor: principal.actor });
      return { message: sentenceAbout(all.length, 'slack'), provider_id: 'slack' };
    },
    deleteAuthToken: async ({ principal, params }) => {
      const caller = callerOf(principal);
      const token = await readOwnToken(db, { caller, id: params.token_id });
      await removeToken(context, { token, actor: principal.actor });
    },
    patchAuthTokenMetadata: async ({ principal, params, body }) => {
      const caller = callerOf(principal);
      const id = params.token_id;
      return db.transaction(async (tx) => {
        const token = await readOwnToken(tx, { caller, id });
        const { provider, user_id } = token;
        if (user_id !== null) await lockUserTokens(tx, { provider, user_id });
        if (body.is_default === true && user_id !== null) await clearDefault(tx, { provider, user_id });
        await updateTokenMetadata(tx, {
          id,
          provider_account_label: body.provider_account_label ?? undefined,
          // An agent’s own token is no user’s default.
          is_default: user_id === null ? undefined : (body.is_default ?? undefined),
        });
        return summaryOf(await readOwnToken(tx, { caller, id }));
      });
    },
    listTokenEvents: async ({ principal, workspace_id, query }) => {
      const caller = callerOf(principal);
      const { provider_id, limit } = query;
      return listTokenEvents(db, {
        workspace_id,
        whose: tokenFilterOf(caller, query.user_id),
        provider_id,
        limit,
      });
    },
  };
}

const sentenceAbout = (count: number, provider_id: string) =>
  `${count} ${count === 1 ? 'token' : 'tokens'} of ${provider_id} ${count === 1 ? 'was' : 'were'} deleted.`;

type ImportCall = Parameters<TokenHandlers['importAuthToken']>[0];

async function importToken(
  context: AuthContext,
  { principal, query, body }: Pick<ImportCall, 'principal' | 'query' | 'body'>,
): Promise<{ token_id: string }> {
  const caller = callerOf(principal);
  const { workspace_id, actor } = caller;
  const { provider_id, is_default, ...token } = body;
  const provider = await readProvider(context.db, { workspace_id, provider_id });
  const owner = { provider: provider.id, user_id: userOf(caller, query.user_id) };
  const id = uuidv7();
  await context.db.transaction(async (tx) => {
    await lockUserTokens(tx, owner);
    await insertToken(tx, context.secret_box, {
      ...owner,
      ...importedFields(token),
      id,
      workspace_id,
      created_by: actor,
      is_default: false,
      provider_account_label: null,
    });
    await chooseDefault(tx, { ...owner, id, is_wanted: is_default });
    const kept = await findToken(tx, { workspace_id, id });
    if (kept !== undefined)
      await insertTokenEvent(tx, { token: kept, event_type: 'imported', source: actor });
  });
  return { token_id: id };
}
