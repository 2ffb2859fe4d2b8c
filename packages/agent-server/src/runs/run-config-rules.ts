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

/** One who says how a run is to go: its assistant, its thread, its request. */
export interface Settings {
  readonly config?: RunConfig | null | undefined;
  /** An object, or what stands alone. */
  readonly context?: unknown;
}

/**
 * What several say of a run, the later of whom wins. Older graphs read `configurable`, newer ones the context: what is said in either
 * reaches both.
 */
export function mergeSettings(...all: readonly Settings[]): {
  readonly config: SetConfig;
  readonly context: unknown;
} {
  const inStep = all.map(({ config, context }) => ({
    ...config,
    configurable: { ...(isObject(context) ? context : {}), ...config?.configurable },
  }));
  const { configurable = {}, ...config } = mergeConfigs(...inStep);
  const allowed = allowedConfigurable(configurable);
  const context = all.reduce<unknown>(withContext, undefined);
  return {
    config: { ...config, ...(isEmpty(allowed) ? {} : { configurable: allowed }) },
    context: isEmpty(context) ? undefined : context,
  };
}

/** Objects are merged one level deep; a context that is none stands alone. */
function withContext(before: unknown, { config, context }: Settings): unknown {
  if (context !== undefined && context !== null && !isObject(context)) return context;
  const configured = allowedConfigurable(config?.configurable ?? {});
  if (isEmpty(context) && (isEmpty(configured) || !(isEmpty(before) || isObject(before)))) return before;
  return { ...(isObject(before) ? before : {}), ...configured, ...(isObject(context) ? context : {}) };
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
