import type { DatasetRow } from '../dataset-records/dataset-row.ts';
import { isSystemMessage, openAiMessages, openAiTool } from './message-rules.ts';

/**
 * The transformations that datasets apply to examples before they are stored. A path that leads nowhere changes
 * nothing.
 */

type Values = Readonly<Record<string, unknown>>;

interface TransformationContext {
  readonly dataset: Pick<
    DatasetRow,
    'transformations' | 'inputs_schema_definition' | 'outputs_schema_definition'
  >;
  /** The tools that the source run was called with. */
  readonly run_tools?: unknown;
}

/** @param values the inputs and outputs, by these names. */
export function transformed(values: Values, { dataset, run_tools }: TransformationContext): Values {
  return (dataset.transformations ?? []).reduce<Values>((result, { path, transformation_type }) => {
    if (transformation_type === 'extract_tools_from_run')
      return run_tools === undefined ? result : (replacedAt(result, path, () => run_tools, true) as Values);
    const change = changes[transformation_type];
    if (change === undefined) return result;
    const schema = schemaAt(dataset, path);
    return replacedAt(result, path, (value) => change(value, schema)) as Values;
  }, values);
}

const each = (change: (value: unknown) => unknown) => (value: unknown) =>
  Array.isArray(value) ? value.map(change) : change(value);

const changes: Readonly<Record<string, (value: unknown, schema: Values | undefined) => unknown>> = {
  convert_to_openai_message: (value) =>
    Array.isArray(value) ? value.flatMap(openAiMessages) : openAiMessages(value)[0],
  convert_to_openai_tool: each(openAiTool),
  remove_system_messages: (value) =>
    Array.isArray(value) ? value.filter((message) => !isSystemMessage(message)) : value,
  remove_extra_fields: (value, schema) => {
    const known = schema?.['properties'];
    if (!isObject(value) || !isObject(known)) return value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(known, name)));
  },
};

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param is_made whether the last name of the path may be added. */
function replacedAt(
  ...[value, path, change, is_made = false]: [
    unknown,
    readonly string[],
    (value: unknown) => unknown,
    boolean?,
  ]
): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return change(value);
  if (!isObject(value)) return value;
  if (!Object.hasOwn(value, name) && !(is_made && rest.length === 0)) return value;
  return { ...value, [name]: replacedAt(value[name], rest, change, is_made) };
}

/** The dataset’s schema for the value at a path; references lead to its definitions. */
function schemaAt(
  dataset: TransformationContext['dataset'],
  [kind, ...path]: readonly string[],
): Values | undefined {
  const root = kind === 'inputs' ? dataset.inputs_schema_definition : dataset.outputs_schema_definition;
  let at = resolved(root, root);
  for (const name of path) {
    const properties: unknown = at?.['properties'];
    at = isObject(properties) ? resolved(properties[name], root) : undefined;
  }
  return at;
}

function resolved(schema: unknown, root: Values | null): Values | undefined {
  if (!isObject(schema)) return undefined;
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  const names = $ref.split('/').slice(1);
  const found = names.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), root);
  return isObject(found) ? found : undefined;
}
