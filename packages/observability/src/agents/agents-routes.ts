import { agentEnvironments, type agents } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { resolveSessions } from '../session-records/session-resolver-store.ts';
import { readOffset, writeOffset } from '../queries/offset-rules.ts';
import { agentAnswer, projectNameOf } from './agent-rules.ts';
import { countAgents, deleteAgent, insertAgent, listAgents, readAgent, updateAgent } from './agent-store.ts';

type AgentHandlers = Handlers<typeof agents>;

export function agentHandlers(db: Database, clock: Clock): AgentHandlers {
  const plain = { with_bindings: false };
  return {
    createAgent: async ({ body, workspace_id }) => {
      const { id, name = id, agent_type, source_type, production_only } = body;
      const environments = production_only ? (['PRODUCTION'] as const) : agentEnvironments;
      const now = new Date(clock.now()).toISOString();
      const agent = { workspace_id, id, name, agent_type, source_type, owner_id: null, environments };
      const created = await db.transaction(async (tx) => {
        await insertAgent(tx, { ...agent, agent_uuid: uuidv7() });
        const wanted = environments.map((environment) => ({
          workspace_id,
          ref: { name: projectNameOf(id, environment) },
        }));
        await resolveSessions(tx, { wanted, now });
        return readAgent(tx, agent);
      });
      return agentAnswer(created, plain);
    },
    listAgents: async ({ query, workspace_id }) => {
      const { id: ids, search = query.name, source_type, page_size, sort_by, sort_order } = query;
      const filter = { workspace_id, ids, search, source_type };
      const offset = readOffset(query.cursor, 'query');
      const found = await listAgents(db, filter, { sort_by, sort_order, offset, limit: page_size + 1 });
      const has_more = found.length > page_size;
      return {
        items: found.slice(0, page_size).map((row) => agentAnswer(row, plain)),
        next_cursor: has_more ? writeOffset(offset + page_size) : null,
        has_more,
        ...(query.include_count ? { total: await countAgents(db, filter) } : {}),
      };
    },
    readAgent: async ({ params, query, workspace_id }) => {
      const row = await readAgent(db, { workspace_id, id: params.agent_id });
      return agentAnswer(row, { with_bindings: query.include !== undefined });
    },
    patchAgent: async ({ params, body, workspace_id }) => {
      const agent = { workspace_id, id: params.agent_id };
      await updateAgent(db, agent, body);
      return agentAnswer(await readAgent(db, agent), plain);
    },
    deleteAgent: async ({ params, workspace_id }) => deleteAgent(db, { workspace_id, id: params.agent_id }),
  };
}
