export { openAgentServer } from './agent-server.ts';
export type { AgentLogLine, AgentServer, AgentServerOptions, RevisionSpec } from './agent-server-options.ts';
export { createMask } from './masking.ts';
export type { PythonRuntime } from './hosts/host-kind.ts';
export type { Trouble } from './hosts/crash-rules.ts';
