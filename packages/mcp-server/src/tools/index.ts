import { actingTools } from './acting/index.ts';
import { conversationTools } from './conversations/index.ts';
import { deploymentTools } from './deployments/index.ts';
import { datasetTools } from './datasets/index.ts';
import { documentationTools } from './documentation/index.ts';
import { experimentTools } from './experiments/index.ts';
import { promptTools } from './prompts/index.ts';
import { runTools } from './runs/index.ts';
import type { Tool } from './tool.ts';
import { readToolsets } from './toolset-rules.ts';
import { usageTools } from './usage/index.ts';

/** Each folder is a toolset; listed in this order. */
export const toolsets: Readonly<Record<string, readonly Tool[]>> = {
  runs: runTools,
  conversations: conversationTools,
  deployments: deploymentTools,
  prompts: promptTools,
  datasets: datasetTools,
  experiments: experimentTools,
  usage: usageTools,
  documentation: documentationTools,
  acting: actingTools,
};

/**
 * The toolsets that a text names.
 * @throws Problem `invalid` for one that does not exist
 */
export const namedToolsets = (text: string) => readToolsets(toolsets, { text });
