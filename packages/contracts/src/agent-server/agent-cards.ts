import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

const a2aParams = z.object({ assistant_id: WellFormedText.max(256) });
const cardQuery = z.object({
  assistant_id: WellFormedText.max(256).optional(),
  'A2A-Version': WellFormedText.optional(),
});

export const agentCardEndpoints = {
  readAgentCard: endpoint({
    method: 'GET',
    path: '/.well-known/agent-card.json',
    summary: 'The agent card of an assistant; without `assistant_id` of the first',
    access: 'agents:invoke',
    query: cardQuery,
    success: { status: 200, or: 304, media_types: ['application/json'] },
    errors: [404],
    example: { query: { assistant_id: 'agent' } },
  }),
  readAssistantCard: endpoint({
    method: 'GET',
    path: '/a2a/{assistant_id}/.well-known/agent-card.json',
    summary: 'The agent card below the assistant’s own address',
    access: 'agents:invoke',
    params: a2aParams,
    query: z.object({ 'A2A-Version': WellFormedText.optional() }),
    success: { status: 200, or: 304, media_types: ['application/json'] },
    example: { query: { 'A2A-Version': '1.0' } },
  }),
  readOldAgentCard: endpoint({
    method: 'GET',
    path: '/.well-known/agent.json',
    summary: 'The agent card where clients before A2A 0.3 look for it',
    access: 'agents:invoke',
    query: cardQuery,
    success: { status: 200, or: 304, media_types: ['application/json'] },
    errors: [404],
    example: { query: { assistant_id: 'agent' } },
  }),
  readOldAssistantCard: endpoint({
    method: 'GET',
    path: '/a2a/{assistant_id}/.well-known/agent.json',
    summary: 'The same below the assistant’s own address',
    access: 'agents:invoke',
    params: a2aParams,
    query: z.object({ 'A2A-Version': WellFormedText.optional() }),
    success: { status: 200, or: 304, media_types: ['application/json'] },
    example: { query: { 'A2A-Version': '0.3' } },
  }),
  readCardKeys: endpoint({
    method: 'GET',
    path: '/.well-known/jwks.json',
    summary: 'The keys that verify the signatures of agent cards',
    auth: 'public',
    success: { status: 200, media_types: ['application/json'] },
    errors: [404],
  }),
};
