import { a2aEndpoints } from './a2a.ts';
import { agentCardEndpoints } from './agent-cards.ts';
import { assistantEndpoints } from './assistants.ts';
import { cronEndpoints } from './crons.ts';
import { eventStreamEndpoints } from './event-stream.ts';
import { infoEndpoints } from './info.ts';
import { mcpEndpoints } from './mcp.ts';
import { runEndpoints } from './runs.ts';
import { runStreamEndpoints } from './run-streams.ts';
import { storeEndpoints } from './store-items.ts';
import { threadEndpoints } from './threads.ts';
import { threadStateEndpoints } from './thread-states.ts';

export { type A2aVersion, a2aEndpoints } from './a2a.ts';
export { agentCardEndpoints } from './agent-cards.ts';
export { type AssistantField, assistantEndpoints } from './assistants.ts';
export * from './event-stream.ts';
export { infoEndpoints } from './info.ts';
export { type Cron, type CronCreate, CronPayload, cronEndpoints } from './crons.ts';
export { mcpEndpoints } from './mcp.ts';
export * from './run-create.ts';
export { runEndpoints } from './runs.ts';
export { runStreamEndpoints } from './run-streams.ts';
export * from './statuses.ts';
export { storeEndpoints } from './store-items.ts';
export type { ThreadStreamMode } from './stream-modes.ts';
export { threadStateEndpoints } from './thread-states.ts';
export { threadEndpoints, type ThreadField, type ThreadTtlRequest } from './threads.ts';

/** Paths below `/agents/{slug}`; the router serves them for each deployment. */
export const agentServer = {
  ...a2aEndpoints,
  ...agentCardEndpoints,
  ...assistantEndpoints,
  ...threadEndpoints,
  ...threadStateEndpoints,
  ...runEndpoints,
  ...runStreamEndpoints,
  ...eventStreamEndpoints,
  ...storeEndpoints,
  ...cronEndpoints,
  ...infoEndpoints,
  ...mcpEndpoints,
};
