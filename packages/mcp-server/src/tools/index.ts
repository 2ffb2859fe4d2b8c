import { conversationTools } from './conversations/index.ts';
import { runTools } from './runs/index.ts';
import type { Tool } from './tool.ts';

/** A folder is a toolset. */
const toolsets = {
  runs: runTools,
  conversations: conversationTools,
} as const satisfies Readonly<Record<string, readonly Tool[]>>;

/** In the order in which they are listed. */
export const tools: readonly Tool[] = Object.values(toolsets).flat();
