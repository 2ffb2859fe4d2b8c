export { type AgentServer, openAgentServer } from './agent-server.ts';
export type { AgentLogLine, AgentServerOptions, RevisionSpec } from './agent-server-options.ts';
export { createMask } from './masking.ts';
export type { Trouble } from './hosts/crash-rules.ts';
