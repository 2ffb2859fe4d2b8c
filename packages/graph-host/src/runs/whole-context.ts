import type { CompiledGraph, StandardIssue, StandardVerdict } from '../values/langgraph-types.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * The context of a run, and what of it nobody who asked for the run has said: what the graph was bound to, and what the schema of its
 * context has for that, by which LangGraph itself only checks. What is no object stands alone. What is said for `configurable` only,
 * the names in `configured`, is no part of it where the schema takes the context without.
 */
// oxlint-disable-next-line roadstead/two-positional -- whose, what is said, and how
export async function wholeContext(
  { builder, config }: CompiledGraph,
  given: unknown = {},
  configured: readonly string[] = [],
): Promise<{ readonly context: unknown; readonly unsaid: Values }> {
  if (!isObject(given)) return { context: given, unsaid: {} };
  const validate: Validate = async (value) =>
    (await builder?._configRuntimeSchema?.['~standard']?.validate(value)) ?? { value };
  const bound = isObject(config?.context) ? config.context : {};
  const said = await takenOf({ ...bound, ...given }, { validate, configured });
  const checked = await validate(said);
  const filled = { ...('value' in checked && isObject(checked.value) ? checked.value : {}), ...said };
  // A schema need not accept what it makes of a default.
  const context = 'value' in (await validate(filled)) ? filled : said;
  const unsaid = Object.entries(context).filter(([name]) => !Object.hasOwn(given, name));
  return { context, unsaid: Object.fromEntries(unsaid) };
}

type Validate = (value: Values) => Promise<StandardVerdict>;

/** Without what is refused of what is configured only; the whole where that does not help. */
async function takenOf(
  said: Values,
  { validate, configured }: { readonly validate: Validate; readonly configured: readonly string[] },
): Promise<Values> {
  let open = configured;
  let rest = said;
  while (open.length > 0) {
    const result = await validate(rest);
    if ('value' in result) return rest;
    const named = new Set(result.issues.flatMap(namesOf));
    const refused = open.filter((name) => named.has(name));
    // A schema need not say what it refuses.
    const out = new Set(refused.length > 0 ? refused : open);
    rest = Object.fromEntries(Object.entries(rest).filter(([name]) => !out.has(name)));
    open = open.filter((name) => !out.has(name));
  }
  return 'value' in (await validate(rest)) ? rest : said;
}

function namesOf({ path = [], keys = [] }: StandardIssue): readonly unknown[] {
  if (path.length === 0) return keys;
  const [first] = path;
  return [isObject(first) ? first['key'] : first];
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
