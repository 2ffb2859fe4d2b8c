import { endpoint } from '../endpoint.ts';

/** Every tool is a call of a public route, which asks for its own access; here one that some tool can use is enough. */
const anyRead = [
  'traces:read',
  'datasets:read',
  'feedback:read',
  'prompts:read',
  'usage:read',
  'deployments:read',
] as const;

export const mcpServer = {
  callMcp: endpoint({
    method: 'POST',
    path: '/mcp',
    summary: 'Model Context Protocol over streamable HTTP, 2026-07-28 and 2025',
    mounts: ['', '/api'],
    dialect: 'jsonrpc',
    access: anyRead,
    raw: true,
    max_body_bytes: 4_194_304,
  }),
  getMcp: endpoint({
    method: 'GET',
    path: '/mcp',
    summary: '405: this server opens no stream of its own',
    mounts: ['', '/api'],
    dialect: 'jsonrpc',
    access: anyRead,
    raw: true,
  }),
  endMcp: endpoint({
    method: 'DELETE',
    path: '/mcp',
    summary: '405: there are no sessions',
    mounts: ['', '/api'],
    dialect: 'jsonrpc',
    access: anyRead,
    raw: true,
  }),
  readHealth: endpoint({
    method: 'GET',
    path: '/health',
    summary: 'Whether the MCP server answers',
    auth: 'public',
    dialect: 'text',
  }),
};
export type McpServer = typeof mcpServer;
