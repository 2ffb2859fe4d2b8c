import type { Connection, ImportedToken } from '@roadstead/contracts/control-plane';
import { Problem, uuidv7 } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import { findDeployment, noDeployment } from '../../records/deployment-store.ts';
import { type Caller, mayActFor } from '../acting-rules.ts';
import type { AuthContext } from '../auth-context.ts';
import type { AgentKey } from '../keys.ts';
import { readProvider } from '../providers/provider-store.ts';
import { insertTokenEvent } from '../tokens/token-event-store.ts';
import { deleteToken, findToken, insertToken, type TokenRow } from '../tokens/token-store.ts';
import {
  type ConnectionRow,
  deleteConnection,
  insertConnection,
  isConnected,
  listConnections,
  listConnectionsAt,
  lockAgentTokens,
} from './connection-store.ts';

/** Decides which agent may use which token. */

interface AgentRequest {
  readonly caller: Caller;
  readonly agent_id: string;
}

/** A token that an agent is to use. */
interface ConnectionRequest extends AgentRequest, AgentKey {
  readonly oauth_token_id: string;
}

export async function listSeen(
  { db }: AuthContext,
  { caller, agent_id }: AgentRequest,
): Promise<Connection[]> {
  const rows = await listConnections(db, { workspace_id: caller.workspace_id, agent_id });
  return rows.filter(({ user_id }) => user_id === null || mayActFor(caller, user_id)).map(answerOf);
}

/** A token of another user is not found, like one of another workspace. */
export async function readOwnToken(
  db: Parameters<typeof findToken>[0],
  { caller, id }: { readonly caller: Caller; readonly id: string },
): Promise<TokenRow> {
  const token = await findToken(db, { workspace_id: caller.workspace_id, id });
  if (token === undefined || !mayActFor(caller, token.user_id))
    throw new Problem('not_found', 'You have no such token.');
  return token;
}

export async function connect(context: AuthContext, asked: ConnectionRequest): Promise<Connection> {
  const { caller, agent_id, oauth_token_id } = asked;
  const deployment_id = await deploymentOf(context, asked);
  return context.db.transaction(async (tx) => {
    const token = await readOwnToken(tx, { caller, id: oauth_token_id });
    await insertConnection(tx, {
      workspace_id: caller.workspace_id,
      agent_id,
      deployment_id,
      oauth_token_id,
      created_by: caller.actor,
    });
    await insertTokenEvent(tx, { token, event_type: 'agent_connected', source: caller.actor, agent_id });
    return readConnection(tx, { caller, agent_id, oauth_token_id, deployment_id });
  });
}

/** The id of a deployment names every agent of that deployment. */
async function deploymentOf({ db }: AuthContext, asked: AgentRequest & AgentKey): Promise<string | null> {
  const { workspace_id } = asked.caller;
  const isOurs = async (id: string) => (await findDeployment(db, id))?.workspace_id === workspace_id;
  const { deployment_id, agent_id } = asked;
  if (deployment_id !== null) {
    if (!(await isOurs(deployment_id))) throw noDeployment();
    return deployment_id;
  }
  return isDeploymentId(agent_id) && (await isOurs(agent_id)) ? agent_id : null;
}

const isDeploymentId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

async function readConnection(tx: Transaction, of: ConnectionRequest): Promise<Connection> {
  const rows = await listConnections(tx, { workspace_id: of.caller.workspace_id, agent_id: of.agent_id });
  const row = rows.find(
    (one) => one.oauth_token_id === of.oauth_token_id && one.deployment_id === of.deployment_id,
  );
  if (row === undefined) throw noConnection();
  return answerOf(row);
}

const noConnection = () => new Problem('not_found', 'This agent has no such connection.');

export async function disconnect(
  { db }: AuthContext,
  { caller, agent_id, connection_id }: AgentRequest & { readonly connection_id: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const rows = await listConnections(tx, { workspace_id: caller.workspace_id, agent_id });
    const row = rows.find(({ id, user_id }) => id === connection_id && mayActFor(caller, user_id));
    if (row === undefined || !(await deleteConnection(tx, row.id))) throw noConnection();
    const token = await findToken(tx, { workspace_id: caller.workspace_id, id: row.oauth_token_id });
    if (token !== undefined)
      await insertTokenEvent(tx, { token, event_type: 'agent_disconnected', source: caller.actor, agent_id });
  });
}

/** Gives an agent a token that belongs to no user; the agent’s earlier connections at this provider end. */
export async function giveToken(
  context: AuthContext,
  asked: AgentRequest &
    AgentKey & {
      readonly provider_id: string;
      readonly token: ImportedToken;
      readonly label: string | null;
    },
): Promise<Connection> {
  const { caller, agent_id, token, label } = asked;
  const { workspace_id } = caller;
  if (caller.subject !== undefined)
    throw new Problem('forbidden', 'A key that is bound to a user can’t give an agent a shared token.');
  const provider = await readProvider(context.db, { workspace_id, provider_id: asked.provider_id });
  const deployment_id = await deploymentOf(context, asked);
  const id = uuidv7();
  return context.db.transaction(async (tx) => {
    const pair = { workspace_id, agent_id, deployment_id, provider: provider.id };
    await lockAgentTokens(tx, pair);
    for (const earlier of await listConnectionsAt(tx, pair)) await replace(tx, earlier);
    await insertToken(tx, context.secret_box, {
      ...pair,
      ...importedFields(token),
      id,
      user_id: null,
      created_by: caller.actor,
      is_default: false,
      provider_account_label: label,
    });
    await insertConnection(tx, { ...pair, oauth_token_id: id, created_by: caller.actor });
    const kept = await readOwnToken(tx, { caller, id });
    await insertTokenEvent(tx, { token: kept, event_type: 'imported', source: caller.actor, agent_id });
    return readConnection(tx, { caller, agent_id, oauth_token_id: id, deployment_id });
  });
}

/** A user’s token stays; the agent’s own is deleted with the last agent that used it. */
async function replace(tx: Transaction, { id, oauth_token_id, user_id }: ConnectionRow): Promise<void> {
  await deleteConnection(tx, id);
  if (user_id === null && !(await isConnected(tx, oauth_token_id))) await deleteToken(tx, oauth_token_id);
}

/** The fields of a token that was obtained elsewhere. */
export function importedFields(token: ImportedToken) {
  return {
    access_token: token.access_token,
    refresh_token: token.refresh_token ?? null,
    scopes: token.scopes,
    asked_scopes: token.scopes,
    expires_in_s: token.expires_in_seconds ?? null,
    metadata: token.metadata ?? {},
  };
}

function answerOf({ workspace_id: _workspace, user_id: _user, ...connection }: ConnectionRow): Connection {
  return connection;
}
