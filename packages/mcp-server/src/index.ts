export { type McpServerOptions, type McpService, startMcpServer } from './mcp-server.ts';
export { serveStdio, type StdioOptions } from './stdio.ts';
export { mcpEndpointsSetting, mcpServerProgram } from './mcp-server-program.ts';
export { namedToolsets } from './tools/index.ts';
