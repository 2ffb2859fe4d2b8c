export {
  type AgentLogLine,
  type AgentServer,
  type AgentServerOptions,
  openAgentServer,
  type RevisionSpec,
} from './agent-server.ts';
export { createMask } from './masking.ts';
export type { Trouble } from './hosts/crash-rules.ts';
