import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { WellFormedText } from '../well-formed-text.ts';

/** Paths below `/agents/{slug}`; the router serves them for each deployment. */
const a2aParams = z.object({ assistant_id: WellFormedText.max(256) });

export const agentServer = {
  callA2a: endpoint({
    method: 'POST',
    path: '/a2a/{assistant_id}',
    summary: 'A2A over JSON-RPC 2.0, protocol 0.3 and 1.0; streams answer as Server-Sent Events',
    access: 'agents:invoke',
    dialect: 'jsonrpc',
    params: a2aParams,
    raw: true,
    max_body_bytes: 26_214_400,
    success: { status: 200, or: 202, media_types: ['application/json', 'text/event-stream'] },
    example: {
      body: {
        jsonrpc: '2.0',
        id: '1',
        method: 'message/send',
        params: {
          message: {
            kind: 'message',
            role: 'user',
            messageId: 'one-of-your-own',
            parts: [{ kind: 'text', text: 'Hello' }],
          },
        },
      },
    },
  }),
  readAgentCard: endpoint({
    method: 'GET',
    path: '/.well-known/agent-card.json',
    summary: 'The agent card of an assistant; without `assistant_id` of the first',
    access: 'agents:invoke',
    query: z.object({
      assistant_id: WellFormedText.max(256).optional(),
      'A2A-Version': WellFormedText.optional(),
    }),
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
  readOk: endpoint({
    method: 'GET',
    path: '/ok',
    summary: 'Whether the agent server answers',
    auth: 'public',
    success: { status: 200, body: z.object({ ok: z.literal(true) }) },
  }),
  readInfo: endpoint({
    method: 'GET',
    path: '/info',
    summary: 'Versions and what is served',
    auth: 'public',
    success: {
      status: 200,
      body: z.object({
        version: WellFormedText,
        compatible_with: WellFormedText,
        context: z.literal('js'),
        flags: z.record(WellFormedText, z.boolean()),
        revision_id: WellFormedText.nullable(),
      }),
    },
  }),
};
