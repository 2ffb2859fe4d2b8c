import {
  conversations,
  invocation,
  metadata_prefixes,
  metadata_texts,
  model,
  provider,
  provider_and_kind,
  request_prefix,
  runtime,
  thread,
  tool_prefixes,
  tools,
  usage,
  usage_detail_texts,
  usage_details,
  usage_metadata,
} from './attribute-tables.ts';
import { nestedOf } from './nesting-rules.ts';
import { isObject } from './span-message-rules.ts';
import type { Span } from './span.ts';
import { type AttributeReader, isSameValue } from './span-reader.ts';

/** The facts about a span beside its payloads: metadata, the model and its parameters, its usage. */

type Free = Readonly<Record<string, unknown>>;

/** Must be called last: attributes that no rule has taken become metadata. */
export function extraOf(span: Span, attributes: AttributeReader, shown: Free): Free {
  const run_time = attributes.meaning(runtime);
  if (isObject(run_time)) attributes.take(runtime);
  const invocation_params = invocationOf(attributes);
  const own = new FirstValues({ OTEL_TRACE_ID: span.trace_id, OTEL_SPAN_ID: span.span_id, ...shown });
  addSaid(own, attributes);
  if (!own.has('ls_provider')) own.add({ ls_provider: providerOf(attributes) });
  if (!own.has('ls_model_name')) own.add({ ls_model_name: attributes.firstText(...model) });
  if (!own.has('usage_metadata')) own.add({ usage_metadata: usageOf(attributes) });
  const metadata = {
    ...prefixed('otel.resource.', span.resource),
    ...prefixed('otel.span.', attributes.left()),
    ...own.values,
  };
  return {
    metadata,
    ...(Object.keys(invocation_params).length === 0 ? {} : { invocation_params }),
    ...(isObject(run_time) ? { runtime: run_time } : {}),
  };
}

/** Values by name; the first value of a name counts. */
class FirstValues {
  readonly #values: Map<string, unknown>;

  constructor(values: Free) {
    this.#values = new Map(Object.entries(values));
  }

  get values(): Free {
    return Object.fromEntries(this.#values);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** @returns whether all of them are shown now. */
  add(values: Free): boolean {
    let isShown = true;
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) continue;
      if (!this.#values.has(name)) this.#values.set(name, value);
      else if (!isSameValue(this.#values.get(name), value)) isShown = false;
    }
    return isShown;
  }
}

function addSaid(own: FirstValues, attributes: AttributeReader): void {
  const addPrefixed = (prefix: string) => {
    for (const [name] of attributes.under(prefix))
      if (own.add({ [name]: attributes.meaning(prefix + name) ?? attributes.peek(prefix + name) }))
        attributes.take(prefix + name);
  };
  const [first, ...others] = metadata_prefixes;
  addPrefixed(first);
  if (attributes.peek(thread) !== undefined && own.add({ thread_id: attributes.peek(thread) }))
    attributes.take(thread);
  for (const prefix of others) addPrefixed(prefix);
  for (const name of metadata_texts) {
    const whole = attributes.meaning(name);
    if (isObject(whole) && own.add(whole)) attributes.take(name);
  }
  const isNamed = ['thread_id', 'session_id', 'conversation_id'].some((name) => own.has(name));
  if (!isNamed) own.add({ thread_id: attributes.first(...conversations) });
}

/** The AI SDK appends the called API to the provider; that part stays in the metadata. */
function providerOf(attributes: AttributeReader): string | undefined {
  const said = attributes.firstText(...provider);
  if (said === undefined || said !== attributes.peek(provider_and_kind)) return said;
  const [name = said, ...kind] = said.split('.');
  if (kind.length > 0) attributes.keep(provider_and_kind);
  return name;
}

function usageOf(attributes: AttributeReader): Free | undefined {
  const whole = attributes.meaning(usage_metadata);
  if (isObject(whole)) {
    attributes.take(usage_metadata);
    for (const [name, names] of Object.entries(usage))
      attributes.take(
        ...names.filter((one) => typeof whole[name] === 'number' && attributes.number(one) === whole[name]),
      );
    return whole;
  }
  const counted = Object.entries(usage).map(
    ([name, names]) => [name, attributes.firstNumber(...names)] as const,
  );
  const detailed = Object.entries(usage_details).map(([name, kinds]) => {
    const details = new FirstValues({});
    for (const [kind, names] of Object.entries(kinds))
      details.add({ [kind]: attributes.firstNumber(...names) });
    const text_name = usage_detail_texts[name] ?? '';
    const text = attributes.meaning(text_name);
    if (isObject(text) && details.add(text)) attributes.take(text_name);
    const { values } = details;
    return [name, Object.keys(values).length === 0 ? undefined : values] as const;
  });
  const found = Object.entries(Object.fromEntries([...counted, ...detailed])).filter(
    ([, value]) => value !== undefined,
  );
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function invocationOf(attributes: AttributeReader): Free {
  const params = new FirstValues({});
  const whole_tools = attributes.firstJson(...tools)?.value;
  params.add({ tools: whole_tools ?? spreadTools(attributes) });
  const text = attributes.meaning(invocation);
  if (isObject(text) && params.add(text)) attributes.take(invocation);
  for (const [name, value] of attributes.under(request_prefix))
    if (params.add({ [name]: value })) attributes.take(request_prefix + name);
  return params.values;
}

function spreadTools(attributes: AttributeReader): unknown {
  const prefix = tool_prefixes.find((one) => attributes.under(one).length > 0);
  if (prefix === undefined) return undefined;
  const entries = attributes.under(prefix);
  const { value, excluded } = nestedOf(entries);
  attributes.take(...entries.filter(([path]) => !excluded.has(path)).map(([path]) => prefix + path));
  return value;
}

const prefixed = (prefix: string, attributes: Iterable<readonly [string, unknown]>): Free =>
  Object.fromEntries([...attributes].map(([name, value]) => [prefix + name, value]));
