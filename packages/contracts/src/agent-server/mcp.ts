import { endpoint } from '../endpoints/endpoint.ts';

/** A deployment's assistants as tools. */
export const mcpEndpoints = {
  callAgentMcp: endpoint({
    method: 'POST',
    path: '/mcp',
    summary: 'The assistants as tools: Model Context Protocol over streamable HTTP, 2026-07-28 and 2025',
    access: 'agents:invoke',
    dialect: 'jsonrpc',
    raw: true,
    // Where it is disabled; unknown methods of 2026-07-28.
    errors: [404],
    max_body_bytes: 4_194_304,
    success: { status: 200, or: 202, media_types: ['application/json', 'text/event-stream'] },
    example: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } },
  }),
};
