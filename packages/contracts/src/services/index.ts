import { agentServer } from '../agent-server/index.ts';
import { controlPlane } from '../control-plane/index.ts';
import type { Contract } from '../endpoints/endpoint.ts';
import { identity } from '../identity/index.ts';
import { mcpServer } from '../mcp-server/index.ts';
import { observability } from '../observability/index.ts';
import { platform } from '../platform/index.ts';

/** Every service at the one origin. The agent server's paths are below `/agents/{slug}`. */
export const originServices = {
  identity,
  'control-plane': controlPlane,
  observability,
  'mcp-server': mcpServer,
  platform,
} as const satisfies Readonly<Record<string, Contract>>;
export type OriginService = keyof typeof originServices;

export const services = { ...originServices, 'agent-server': agentServer } as const satisfies Readonly<
  Record<string, Contract>
>;
