import {
  conversations,
  invocation,
  metadata_prefixes,
  metadata_texts,
  model,
  provider,
  request_prefix,
  runtime,
  threads,
  tool_prefixes,
  tools,
  usage,
  usage_detail_texts,
  usage_details,
  usage_metadata,
} from './attribute-tables.ts';
import { nestedOf } from './nesting-rules.ts';
import type { Span } from './span.ts';
import type { AttributeReader } from './span-reader.ts';

/** What is said about a span beside what went through it: metadata, the model and how it was called, what it used. */

type Free = Record<string, unknown>;

/** To be called last: what no rule has asked for becomes metadata. */
export function extraOf(span: Span, attributes: AttributeReader): Free {
  const invocation_params = invocationOf(attributes);
  const about_model = {
    ls_provider: attributes.text(...provider),
    ls_model_name: attributes.text(...model),
    usage_metadata: usageOf(attributes),
  };
  const run_time = attributes.json(runtime)?.value;
  const said = saidMetadata(attributes);
  const metadata = {
    ...prefixed('otel.resource.', span.resource),
    ...prefixed('otel.span.', attributes.left()),
    ...withoutUndefined(about_model),
    ...said,
    OTEL_TRACE_ID: span.trace_id,
    OTEL_SPAN_ID: span.span_id,
  };
  return {
    metadata,
    ...(Object.keys(invocation_params).length === 0 ? {} : { invocation_params }),
    ...(isObject(run_time) ? { runtime: run_time } : {}),
  };
}

function saidMetadata(attributes: AttributeReader): Free {
  const whole = metadata_texts.map((name) => attributes.json(name)?.value).filter(isObject);
  const named = metadata_prefixes.flatMap((prefix) =>
    attributes.under(prefix).map(([name]) => [name, attributes.meaning(prefix + name)] as const),
  );
  const said: Free = { ...Object.assign({}, ...whole), ...Object.fromEntries(named) };
  const thread = attributes.value(...threads);
  const conversation = attributes.value(...conversations);
  const isNamed = ['thread_id', 'session_id', 'conversation_id'].some((name) => name in said);
  const thread_id = thread ?? (isNamed ? undefined : conversation);
  return thread_id === undefined ? said : { ...said, thread_id };
}

function usageOf(attributes: AttributeReader): Free | undefined {
  const whole = attributes.json(usage_metadata)?.value;
  const counted = Object.entries(usage).map(([name, names]) => [name, attributes.number(...names)] as const);
  const detailed = Object.entries(usage_details).map(([name, kinds]) => {
    const text = attributes.json(usage_detail_texts[name] ?? '')?.value;
    const kind = Object.entries(kinds).map(([one, names]) => [one, attributes.number(...names)] as const);
    const details = { ...(isObject(text) ? text : {}), ...withoutUndefined(Object.fromEntries(kind)) };
    return [name, Object.keys(details).length === 0 ? undefined : details] as const;
  });
  if (isObject(whole)) return whole;
  const found = withoutUndefined(Object.fromEntries([...counted, ...detailed]));
  return Object.keys(found).length === 0 ? undefined : found;
}

function invocationOf(attributes: AttributeReader): Free {
  const text = attributes.json(...invocation)?.value;
  const requested = attributes.under(request_prefix);
  const whole_tools = attributes.json(...tools)?.value;
  const spread = tool_prefixes.map((prefix) => attributes.under(prefix)).find((found) => found.length > 0);
  const used = whole_tools ?? (spread === undefined ? undefined : nestedOf(spread));
  return {
    ...Object.fromEntries(requested),
    ...(isObject(text) ? text : {}),
    ...(used === undefined ? {} : { tools: used }),
  };
}

const prefixed = (prefix: string, attributes: Iterable<readonly [string, unknown]>): Free =>
  Object.fromEntries([...attributes].map(([name, value]) => [prefix + name, value]));

const withoutUndefined = (values: Free): Free =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const isObject = (value: unknown): value is Free =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
