export { type McpServerOptions, type McpService, serveStdio, startMcpServer } from './mcp-server.ts';
