import type { RunConfig } from '@roadstead/contracts/agent-server';

/** How the settings of assistant, thread and request become those of a run: the later one wins. */

type Values = Readonly<Record<string, unknown>>;

/** A config with everything that is null left out. */
export interface SetConfig {
  readonly tags?: readonly string[];
  readonly recursion_limit?: number;
  readonly configurable?: Values;
  readonly metadata?: Values;
}

/** `configurable` and `metadata` are merged one level deep, everything else is replaced. */
export function mergeConfigs(...configs: readonly (RunConfig | null | undefined)[]): SetConfig {
  let merged: SetConfig = {};
  for (const config of configs) {
    const { tags, recursion_limit, configurable, metadata } = config ?? {};
    merged = {
      ...merged,
      ...((tags ?? null) === null ? {} : { tags }),
      ...((recursion_limit ?? null) === null ? {} : { recursion_limit }),
      ...((configurable ?? null) === null
        ? {}
        : { configurable: { ...merged.configurable, ...configurable } }),
      ...((metadata ?? null) === null ? {} : { metadata: { ...merged.metadata, ...metadata } }),
    } as SetConfig;
  }
  return merged;
}

/** Objects are merged one level deep; anything else that the request gives stands alone. */
export function mergeContexts(ofAssistant: unknown, ofRequest: unknown): unknown {
  if (ofRequest === undefined || ofRequest === null) return isEmpty(ofAssistant) ? undefined : ofAssistant;
  if (!isObject(ofRequest) || !isObject(ofAssistant)) return ofRequest;
  return { ...ofAssistant, ...ofRequest };
}

/** What the server itself says in `configurable`; a checkpoint is asked for by its own field, too. */
const RESERVED = new Set([
  'thread_id',
  'run_id',
  'graph_id',
  'assistant_id',
  'checkpoint_id',
  'checkpoint_ns',
  'checkpoint_map',
]);

/** Without what only the server may say. */
export function allowedConfigurable(configurable: Values): Values {
  const isOurs = (name: string) =>
    RESERVED.has(name) || name.startsWith('__') || name.startsWith('langgraph_auth_');
  return Object.fromEntries(Object.entries(configurable).filter(([name]) => !isOurs(name)));
}

/** Whether a request sets both: a graph reads one of them. */
export function setsBoth(configurable: unknown, context: unknown): boolean {
  return !isEmpty(configurable) && !isEmpty(context);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return isObject(value) && Object.keys(value).length === 0;
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
