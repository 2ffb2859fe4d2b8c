import type { Connection } from '@roadstead/contracts/control-plane';
import { uuidv7 } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import type { AgentKey, ProviderAgent } from '../keys.ts';

export type ConnectionRow = Connection & {
  readonly workspace_id: string;
  /** The user of the token; null where it is the agent’s own. */
  readonly user_id: string | null;
};

const connections = `select c.id, c.workspace_id, c.agent_id, c.deployment_id, c.oauth_token_id, p.provider_id,
    t.provider_account_label, t.scopes, t.expires_at, c.created_by, c.created_at, t.user_id
  from oauth_connections c join oauth_tokens t on t.id = c.oauth_token_id join oauth_providers p on p.id = t.provider`;

interface NewConnection extends AgentKey {
  readonly workspace_id: string;
  readonly oauth_token_id: string;
  readonly created_by: string;
}

/** Leaves an existing connection as it is. */
export async function insertConnection(tx: Transaction, fresh: NewConnection): Promise<void> {
  await tx.run(
    `insert into oauth_connections (id, workspace_id, agent_id, deployment_id, oauth_token_id, created_by)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [
      uuidv7(),
      fresh.workspace_id,
      fresh.agent_id,
      fresh.deployment_id,
      fresh.oauth_token_id,
      fresh.created_by,
    ],
  );
}

/** The connections of an agent, oldest first. */
export async function listConnections(
  db: Queryable,
  { workspace_id, agent_id }: Pick<ProviderAgent, 'workspace_id' | 'agent_id'>,
): Promise<ConnectionRow[]> {
  return db.query<ConnectionRow>(
    `${connections} where c.workspace_id = $1 and c.agent_id = $2 order by c.created_at, c.id`,
    [workspace_id, agent_id],
  );
}

export async function deleteConnection(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.run('delete from oauth_connections where id = $1', [id])) === 1;
}

/** The connections that an agent has at a provider, no matter who the tokens belong to. */
export async function listConnectionsAt(tx: Transaction, of: ProviderAgent): Promise<ConnectionRow[]> {
  return tx.query<ConnectionRow>(
    `${connections} where c.workspace_id = $1 and c.agent_id = $2 and c.deployment_id is not distinct from $3::uuid
       and t.provider = $4 order by c.id`,
    [of.workspace_id, of.agent_id, of.deployment_id, of.provider],
  );
}

/** Whether any agent is still connected to a token. */
export async function isConnected(tx: Transaction, oauth_token_id: string): Promise<boolean> {
  const found = await tx.maybe('select id from oauth_connections where oauth_token_id = $1 limit 1', [
    oauth_token_id,
  ]);
  return found !== undefined;
}

/** Serializes calls that give an agent a token of its own at a provider. */
export async function lockAgentTokens(
  tx: Transaction,
  { provider, agent_id }: Pick<ProviderAgent, 'provider' | 'agent_id'>,
): Promise<void> {
  await tx.run(`select pg_advisory_xact_lock(hashtextextended($1 || ':' || $2, 7))`, [provider, agent_id]);
}
