import type { CompiledGraph } from './langgraph-types.ts';

type Values = Readonly<Record<string, unknown>>;

/** Of https://standardschema.dev, as zod and others have it. */
export interface StandardSchema {
  readonly '~standard'?: {
    validate(value: unknown): Validated | Promise<Validated>;
  };
}
type Validated = { readonly value: unknown } | { readonly issues: readonly unknown[] };

/**
 * The context of a run, and what of it nobody who asked for the run has said: what the graph was bound to, and what the schema of its
 * context has for that, by which LangGraph itself only checks. What is no object stands alone.
 */
export async function wholeContext(
  { builder, config }: CompiledGraph,
  given: unknown = {},
): Promise<{ readonly context: unknown; readonly unsaid: Values }> {
  if (!isObject(given)) return { context: given, unsaid: {} };
  const bound = isObject(config?.context) ? config.context : {};
  const said = { ...bound, ...given };
  const checked = async (value: Values): Promise<Values | undefined> => {
    const result = await builder?._configRuntimeSchema?.['~standard']?.validate(value);
    return result !== undefined && 'value' in result && isObject(result.value) ? result.value : undefined;
  };
  const filled = { ...(await checked(said)), ...said };
  // What a schema makes of a default need not be what it takes.
  const context = (await checked(filled)) === undefined ? said : filled;
  const unsaid = Object.entries(context).filter(([name]) => !Object.hasOwn(given, name));
  return { context, unsaid: Object.fromEntries(unsaid) };
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
