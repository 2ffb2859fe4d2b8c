import { endpoint } from '../endpoint.ts';

export const mcpServer = {
  callMcp: endpoint({
    method: 'POST',
    path: '/mcp',
    summary: 'Model Context Protocol over streamable HTTP, 2026-07-28 and 2025',
    mounts: ['', '/api'],
    dialect: 'jsonrpc',
    needs: 'read',
    raw: true,
    max_body_bytes: 4_194_304,
  }),
  getMcp: endpoint({
    method: 'GET',
    path: '/mcp',
    summary: '405: this server opens no stream of its own',
    mounts: ['', '/api'],
    dialect: 'jsonrpc',
    raw: true,
  }),
  endMcp: endpoint({
    method: 'DELETE',
    path: '/mcp',
    summary: '405: there are no sessions',
    mounts: ['', '/api'],
    dialect: 'jsonrpc',
    needs: 'read',
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
