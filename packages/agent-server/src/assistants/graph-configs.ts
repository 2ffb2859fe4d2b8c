import { RunConfig } from '@roadstead/contracts/agent-server';
import { JsonObject } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { z } from 'zod';
import { setsBoth } from '../runs/run-config-rules.ts';
import type { Json } from './assistant.ts';

/** The configurations with which the graphs' own assistants begin. */
export type GraphConfigs = Readonly<Record<string, { readonly config: Json; readonly context: Json | null }>>;

const NAME = 'LANGGRAPH_CONFIG';
const ByGraph = z.record(z.string(), RunConfig.extend({ context: JsonObject.nullish() }));

/**
 * Reads the variable `LANGGRAPH_CONFIG`: JSON with a configuration by graph, and its context beside it.
 * @throws Problem that names the fault
 */
export function graphConfigs(environment: Readonly<Record<string, string>>): GraphConfigs {
  const text = environment[NAME]?.trim();
  if (!text) return {};
  const read = ByGraph.safeParse(jsonIn(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    const at = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
    throw new Problem('invalid', `The variable ${NAME} holds no configurations by graph${at}.`, {
      hint: 'It is JSON such as {"agent": {"configurable": {"model": "small"}}}.',
    });
  }
  const given = Object.entries(read.data).map(([graph_id, { context = null, ...config }]) => {
    if (setsBoth(config.configurable, context))
      throw new Problem('invalid', `The variable ${NAME} gives ${graph_id} both configurable and context.`, {
        hint: 'They stand for the same: leave one out.',
      });
    return [graph_id, { config, context }];
  });
  return Object.fromEntries(given) as GraphConfigs;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
