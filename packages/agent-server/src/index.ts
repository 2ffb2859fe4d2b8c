export { openAgentServer } from './agent-server.ts';
export type { AgentLogLine, AgentServer, AgentServerOptions, RevisionSpec } from './agent-server-options.ts';
export { createMask } from './masking.ts';
export type { HostEnd, PythonRuntime } from './hosts/host-kind.ts';
export { fencedLauncher } from './hosts/fenced-launcher.ts';
export { type HostProgram, hostProgram } from './hosts/host-program.ts';
export type { HostConnections, HostOrder, LaunchedHost, Launcher } from './hosts/launcher.ts';
export type { Trouble } from './hosts/crash-rules.ts';
