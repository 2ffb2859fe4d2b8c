import { a2aEndpoints } from './a2a.ts';
import { mcpEndpoints } from './mcp.ts';
import { infoEndpoints } from './info.ts';
export { mcpEndpoints } from './mcp.ts';

export * from './crons.ts';
export * from './run-create.ts';
export { runEndpoints } from './runs.ts';
export * from './statuses.ts';
export type { ThreadStreamMode } from './stream-modes.ts';

/** Paths below `/agents/{slug}`; the router serves them for each deployment. */
export const agentServer = { ...a2aEndpoints, ...infoEndpoints, ...mcpEndpoints };
