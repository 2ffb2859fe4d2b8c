/** How a model is asked, as fields of a form, and as the API takes it. */

export interface ParametersForm {
  readonly temperature: string;
  readonly top_p: string;
  readonly max_tokens: string;
  /** One a line. */
  readonly stop: string;
  readonly tools: string;
  readonly tool_choice: string;
  readonly schema: string;
  readonly extra_body: string;
}

export const noParameters: ParametersForm = {
  temperature: '',
  top_p: '',
  max_tokens: '',
  stop: '',
  tools: '',
  tool_choice: '',
  schema: '',
  extra_body: '',
};

type Reader = (text: string) => unknown;

const numbers: Reader = (text) => Number(text);
const lines: Reader = (text) => text.split('\n').filter((line) => line !== '');
const object = (name: string): Reader => {
  const read = json(name);
  return (text) => {
    const value = read(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw new Error(`${name} must be a JSON object.`);
  };
};
const json =
  (name: string): Reader =>
  (text) => {
    try {
      return JSON.parse(text) as unknown;
    } catch (error) {
      throw new Error(`${name} is not JSON: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  };

const readers: Readonly<Record<keyof ParametersForm, (text: string) => object>> = {
  temperature: (text) => ({ temperature: numbers(text) }),
  top_p: (text) => ({ top_p: numbers(text) }),
  max_tokens: (text) => ({ max_tokens: numbers(text) }),
  stop: (text) => ({ stop: lines(text) }),
  tools: (text) => ({ tools: toolsIn(json('Tools')(text)) }),
  tool_choice: (text) => ({
    tool_choice: ['auto', 'none', 'required'].includes(text) ? text : { function: { name: text } },
  }),
  schema: (text) => ({ response_format: formatOf(object('The schema')(text)) }),
  extra_body: (text) => ({ extra_body: object('More for the provider')(text) }),
};

/** What the form says; fields left empty are left out. @throws Error a sentence for what is not JSON. */
export const parametersOf = (form: ParametersForm): Readonly<Record<string, unknown>> =>
  Object.assign(
    {},
    ...Object.entries(form).map(([name, text]) =>
      text.trim() === '' ? {} : readers[name as keyof ParametersForm](text as string),
    ),
  ) as Readonly<Record<string, unknown>>;

/** One tool or a list; a tool without its frame is given one. */
const toolsIn = (value: unknown): readonly unknown[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).map((one) =>
    typeof one === 'object' && one !== null && 'function' in one ? one : { type: 'function', function: one },
  );

function formatOf(schema: unknown) {
  const { title } = schema as { readonly title?: unknown };
  const name = typeof title === 'string' && title !== '' ? title.replaceAll(/[^\w-]/g, '_') : 'answer';
  return { type: 'json_schema', json_schema: { name: name.slice(0, 64), schema } };
}

/** The values of variables: texts, and JSON where messages are wanted. @throws Error a sentence for what is not JSON. */
export function valuesOf(
  variables: readonly {
    readonly name: string;
    readonly is_messages: boolean;
    readonly is_optional: boolean;
  }[],
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const given = variables.flatMap(({ name, is_messages, is_optional }) => {
    const text = texts[name] ?? '';
    if (!is_messages) return [[name, text] as const];
    if (text.trim() === '') return is_optional ? [] : [[name, []] as const];
    return [[name, json(`The variable ${name}`)(text)] as const];
  });
  return Object.fromEntries(given);
}
