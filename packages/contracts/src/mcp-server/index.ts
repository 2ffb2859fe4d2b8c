import { endpoint } from '../endpoints/endpoint.ts';
import { OAUTH_SCOPES } from '../identity/oauth.ts';

export const mcpServer = {
  callMcp: endpoint({
    method: 'POST',
    path: '/mcp',
    summary: 'Model Context Protocol over streamable HTTP, 2026-07-28 and 2025',
    mounts: ['', '/api'],
    dialect: 'jsonrpc',
    // Every tool calls a public route, which requires its own access; here an access that any tool can use suffices.
    access: OAUTH_SCOPES,
    raw: true,
    // Unknown methods of 2026-07-28.
    errors: [404],
    max_body_bytes: 4_194_304,
    success: { status: 200, or: 202, media_types: ['application/json', 'text/event-stream'] },
    example: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } },
  }),
  readHealth: endpoint({
    method: 'GET',
    path: '/health',
    summary: 'Whether the MCP server answers',
    auth: 'public',
    dialect: 'text',
    success: { status: 200, media_types: ['text/plain'] },
  }),
};
export type McpServerContract = typeof mcpServer;
