export { type HttpProcessOptions, serveHttp } from './http-process.ts';
export { type McpServerOptions, type McpService, startMcpServer } from './mcp-server.ts';
export { serveStdio, type StdioOptions } from './stdio.ts';
export { mcpEndpointsSetting, mcpServerProgram } from './mcp-server-program.ts';
export { namedToolsets, toolsets } from './tools/index.ts';
export type { Tool } from './tools/tool.ts';
export { withSignIn } from './access/sign-in.ts';
