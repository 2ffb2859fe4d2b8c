import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryList } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { platform } from '../mounts.ts';

/**
 * Agents in LangSmith's sense: a name for up to four environments, each of which is a tracing project. Clients send
 * `lrn:agents/{id}/environments/{environment}` instead of the project.
 */

export const agentEnvironments = ['LOCAL', 'DEVELOPMENT', 'STAGING', 'PRODUCTION'] as const;
const AgentType = z.enum(['CUSTOM', 'CODING']);
const SourceType = z.enum(['LSD', 'MDA', 'EXTERNAL', 'FLEET']);
const AgentId = z.string().regex(/^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
const Name = WellFormedText.min(1).max(255);

const Agent = z
  .object({
    id: z.string(),
    agent_uuid: z.string(),
    name: z.string(),
    agent_type: AgentType,
    source_type: SourceType,
    created_at: z.string(),
    owner_id: z.string().nullable(),
    environments: z.array(
      z.object({
        id: z.string(),
        agent_id: z.string(),
        environment: z.enum(agentEnvironments),
        tracer_session_id: z.string(),
        tracer_session_name: z.string(),
        runtime_bindings: z.array(z.object({ id: z.string() })).optional(),
      }),
    ),
  })
  .meta({ id: 'Agent' });
export type Agent = z.output<typeof Agent>;

const params = z.object({ agent_id: AgentId });
const one = { ...platform, params, success: { status: 200, body: Agent } } as const;

export const agents = {
  createAgent: endpoint({
    ...platform,
    method: 'POST',
    path: '/agents',
    summary: 'Create an agent, with a tracing project for each of its environments',
    access: 'traces:write',
    errors: [409],
    body: z.object({
      id: AgentId,
      name: Name.optional(),
      agent_type: AgentType.default('CUSTOM'),
      source_type: SourceType.default('EXTERNAL'),
      /** Only its production environment. */
      production_only: z.boolean().default(false),
    }),
    success: { status: 201, body: Agent },
    example: { body: { id: 'customer-support', name: 'Customer support' } },
  }),
  listAgents: endpoint({
    ...platform,
    method: 'GET',
    path: '/agents',
    summary: 'List agents',
    access: 'traces:read',
    query: z.object({
      id: filterBy(queryList(AgentId)),
      /** A part of the name or the id, in any case. */
      search: WellFormedText.optional(),
      name: WellFormedText.optional(),
      source_type: SourceType.optional(),
      sort_by: z.enum(['last_run_start_time', 'name', 'created_at']).default('name'),
      sort_order: z.enum(['asc', 'desc']).default('asc'),
      page_size: queryInt({ min: 1, max: 100, fallback: 20 }),
      cursor: WellFormedText.optional(),
      include_count: queryFlag.default(false),
    }),
    success: {
      status: 200,
      body: z.object({
        items: z.array(Agent),
        next_cursor: z.string().nullable(),
        has_more: z.boolean(),
        total: z.number().optional(),
      }),
    },
    example: { query: { search: 'support', page_size: '20' } },
  }),
  readAgent: endpoint({
    ...one,
    method: 'GET',
    path: '/agents/{agent_id}',
    summary: 'Read an agent',
    access: 'traces:read',
    query: z.object({ include: z.literal('runtime_bindings').optional() }),
    example: { query: { include: 'runtime_bindings' } },
  }),
  patchAgent: endpoint({
    ...one,
    method: 'PATCH',
    path: '/agents/{agent_id}',
    summary: 'Change an agent; absent fields stay as they are',
    access: 'traces:write',
    body: z.object({
      name: Name.optional(),
      agent_type: AgentType.optional(),
      source_type: SourceType.optional(),
      owner_id: WellFormedText.nullish(),
    }),
    example: { body: { name: 'Support' } },
  }),
  deleteAgent: endpoint({
    ...platform,
    method: 'DELETE',
    path: '/agents/{agent_id}',
    summary: 'Delete an agent; its projects stay',
    access: 'traces:admin',
    params,
    success: { status: 204 },
  }),
};
