export { openAgentServer } from './agent-server.ts';
export type { AgentLogLine, AgentServer, AgentServerOptions, RevisionSpec } from './agent-server-options.ts';
export { memberRules } from './access/member-rules.ts';
export { askBelow } from './app/app-face.ts';
export { forwardedHeaders, placeOf } from './app/place-rules.ts';
export { createMask } from './masking.ts';
export { CrashWatch } from './hosts/crash-watch.ts';
export type { HostedImage, HostEnd, HostResources, MovedFile, PythonRuntime } from './hosts/host-kind.ts';
export { fencedLauncher } from './hosts/fenced-launcher.ts';
export { type HostProgram, hostProgram } from './hosts/host-program.ts';
export type {
  Hindrance,
  HostConnections,
  HostNames,
  HostOrder,
  LaunchedHost,
  Launcher,
  StartHindrance,
} from './hosts/launcher.ts';
export { CRASH_LIMITS, type Trouble } from './hosts/crash-rules.ts';
export { ENGINE_SCHEMA, engineMigrations } from './database/engine-migrations.ts';
