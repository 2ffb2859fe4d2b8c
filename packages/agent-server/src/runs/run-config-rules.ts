import type { RunConfig } from '@roadstead/contracts/agent-server';

/** Merges the settings of assistant, thread and request into those of a run: the later one wins. */

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
      ...((configurable ?? null) === null ? {} : { configurable: over(merged.configurable, configurable) }),
      ...((metadata ?? null) === null ? {} : { metadata: over(merged.metadata, metadata) }),
    } as SetConfig;
  }
  return merged;
}

/** Merges objects, without a copy where there is nothing to merge: copying many keys takes long. */
function over(before: Values | undefined, values: Values | null | undefined): Values {
  if (before === undefined || isEmpty(before)) return values ?? {};
  return isEmpty(values) ? before : { ...before, ...values };
}

/** A source of a run's settings: its assistant, its thread, its request. */
export interface Settings {
  readonly config?: RunConfig | null | undefined;
  /** An object, or any other value. */
  readonly context?: unknown;
}

/**
 * Merges several sources of settings, the later of which wins. Older graphs read `configurable`, newer ones the
 * context: a value in either reaches both.
 */
export function mergeSettings(...all: readonly Settings[]): {
  readonly config: SetConfig;
  readonly context: unknown;
  /** The names in the context that come from `configurable` only: a context that takes few names may refuse them. */
  readonly configured: readonly string[];
} {
  const inStep = all.map(({ config, context }) => ({
    ...config,
    configurable: over(isObject(context) ? context : undefined, config?.configurable),
  }));
  const { configurable = {}, ...config } = mergeConfigs(...inStep);
  const allowed = allowedConfigurable(configurable);
  const context = all.reduce<unknown>(withContext, undefined);
  return {
    config: { ...config, ...(isEmpty(allowed) ? {} : { configurable: allowed }) },
    context: isEmpty(context) ? undefined : context,
    configured: onlyConfigured(context, all),
  };
}

/** An assistant holds in both what it was given in either, so a name that both have counts as configured. */
function onlyConfigured(context: unknown, all: readonly Settings[]): readonly string[] {
  if (!isObject(context) || all.every(({ config }) => isEmpty(config?.configurable))) return [];
  const isSaid = (name: string, { config, context: said }: Settings) =>
    isObject(said) && Object.hasOwn(said, name) && !Object.hasOwn(config?.configurable ?? {}, name);
  return Object.keys(context).filter((name) => !all.some((settings) => isSaid(name, settings)));
}

/** Objects are merged one level deep; a context that is no object replaces. */
function withContext(before: unknown, { config, context }: Settings): unknown {
  if (context !== undefined && context !== null && !isObject(context)) return context;
  const configured = allowedConfigurable(config?.configurable ?? {});
  if (isEmpty(context) && (isEmpty(configured) || !(isEmpty(before) || isObject(before)))) return before;
  return over(
    over(isObject(before) ? before : undefined, configured),
    isObject(context) ? context : undefined,
  );
}

/** Names that only the server sets in `configurable`; a checkpoint is asked for by a field of its own, too. */
const RESERVED = new Set([
  'thread_id',
  'run_id',
  'graph_id',
  'assistant_id',
  'checkpoint_id',
  'checkpoint_ns',
  'checkpoint_map',
]);

/** The values without those that only the server may set. */
export function allowedConfigurable(configurable: Values): Values {
  const isOurs = (name: string) =>
    RESERVED.has(name) || name.startsWith('__') || name.startsWith('langgraph_auth_');
  if (!Object.keys(configurable).some(isOurs)) return configurable;
  return Object.fromEntries(Object.entries(configurable).filter(([name]) => !isOurs(name)));
}

/** Whether a request sets both, although a graph reads only one of them. */
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
