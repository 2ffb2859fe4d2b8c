import { runTypes } from '@roadstead/contracts/run-types';
import { columnText } from '../ingest/column-text-rules.ts';
import { runOperationOf, type SentPayload } from '../ingest/run-fields-rules.ts';
import type { AttachmentOperation, Operations, PayloadKind, RunOperation } from '../ingest/run-operation.ts';
import { type Reading, readPayload } from '../ingest/sent-json-codec.ts';
import { unhurried } from '../ingest/unhurried.ts';
import * as tables from './attribute-tables.ts';
import { extraOf } from './span-extra-rules.ts';
import { inputsOf, outputsOf, type ReadEvent } from './span-payload-rules.ts';
import { instantOfNs, placesOf, type SpanPlace } from './span-placement-rules.ts';
import { AttributeReader } from './span-reader.ts';
import { isSpanId, isTraceId, type Span, STATUS_ERROR, STATUS_OK } from './span.ts';

/** Spans as operations: each is a whole run, which began and ended. */

export interface SpanOperations extends Operations {
  /** Spans without valid ids, which stand for no run. */
  readonly rejected: number;
}

/** @param reading.project for spans that name none. */
export async function operationsOf(
  spans: readonly Span[],
  { project, ...reading }: Reading & { readonly project: string | undefined },
): Promise<SpanOperations> {
  const valid = spans.filter((span) => isTraceId(span.trace_id) && isSpanId(span.span_id));
  const rejected = spans.length - valid.length;
  if (rejected > 0) reading.faults.add('spans', `${rejected} of them have no valid ids, and are left out`);
  const places = await unhurried(placesOf(valid), reading.slice);
  const runs: RunOperation[] = [];
  const attachments: AttachmentOperation[] = [];
  for (const [index, span] of valid.entries()) {
    const place = places[index];
    if (place === undefined) continue;
    const attributes = await AttributeReader.of(span.attributes, reading.slice);
    const list = attributes.json(tables.attachments)?.value;
    attachments.push(...attachmentsOf(place.run_id, list));
    runs.push(await runOf({ span, place, attributes, project }, reading));
    if (reading.slice.isOver()) await reading.slice.next();
  }
  return { runs, feedback: [], attachments, rejected };
}

interface PlacedSpan {
  readonly span: Span;
  readonly place: SpanPlace;
  readonly attributes: AttributeReader;
  readonly project: string | undefined;
}

async function runOf(
  { span, place, attributes, project }: PlacedSpan,
  reading: Reading,
): Promise<RunOperation> {
  const at = `span.${span.span_id}`;
  const run_type = runTypeOf(attributes);
  const session_id = attributes.text(...tables.session.id);
  const session_name = attributes.text(...tables.session.name) ?? project;
  attributes.value(...Object.values(tables.identity), ...tables.spent);
  const main = {
    ...place,
    name: nameOf(span, attributes, run_type),
    run_type,
    start_time: instantOfNs(span.start_ns),
    end_time: instantOfNs(span.end_ns),
    session_id,
    session_name: session_id === undefined ? session_name : undefined,
    reference_example_id: attributes.text(...tables.reference_example_id),
    tags: tagsOf(attributes),
  };
  const texts = await payloadTexts(span, attributes, reading);
  const payloads: Partial<Record<PayloadKind, SentPayload>> = {};
  for (const [kind, text] of Object.entries(texts) as [PayloadKind, string | undefined][]) {
    if (text === undefined) continue;
    const json = Buffer.from(text);
    const payload = await readPayload({ kind, json, at: `${at}.${kind}` }, reading);
    if (payload !== undefined) payloads[kind] = payload;
  }
  return runOperationOf({ at, verb: 'post', run_id: place.run_id, main, payloads }, reading.faults);
}

async function payloadTexts(
  span: Span,
  attributes: AttributeReader,
  { slice }: Reading,
): Promise<Record<PayloadKind, string | undefined>> {
  const events: ReadEvent[] = [];
  for (const event of span.events)
    events.push({ event, reader: await AttributeReader.of(event.attributes, slice) });
  const content = { attributes, events };
  const inputs = inputsOf(content);
  const outputs = outputsOf(content);
  const error = errorOf(span);
  const about = attributes.under(tables.serialized_prefix);
  return {
    inputs,
    outputs,
    error: error === undefined ? undefined : JSON.stringify(error),
    events: eventsText(span),
    serialized: about.length === 0 ? undefined : JSON.stringify(Object.fromEntries(about)),
    extra: JSON.stringify(extraOf(span, attributes)),
  };
}

function runTypeOf(attributes: AttributeReader): string {
  const own = attributes.text('langsmith.span.kind')?.toLowerCase();
  const found = tables.run_types.map(([name, types]) => types[attributes.text(name)?.toLowerCase() ?? '']);
  const isTool = attributes.text('gen_ai.tool.name') !== undefined;
  const isPrompt = attributes.value('llm.prompt_template.variables') !== undefined;
  const [operation, ...others] = found;
  const type = operation ?? (isTool ? 'tool' : (others.find(Boolean) ?? (isPrompt ? 'prompt' : 'chain')));
  return runTypes.find((one) => one === own) ?? type;
}

function nameOf(span: Span, attributes: AttributeReader, run_type: string): string {
  const said = attributes.text(...tables.names);
  const tool = attributes.text(...tables.tool_names);
  return said ?? (run_type === 'tool' ? tool : undefined) ?? span.name;
}

function tagsOf(attributes: AttributeReader): readonly string[] | undefined {
  const value = attributes.value(...tables.tags);
  if (Array.isArray(value)) return value.filter((tag): tag is string => typeof tag === 'string');
  if (typeof value !== 'string') return undefined;
  const tags = value.split(',').map((tag) => tag.trim());
  return tags.filter((tag) => tag !== '');
}

/** What an exception says; one that the span says was no failure doesn't count. */
function errorOf({ events, status }: Span): string | undefined {
  if (status.code === STATUS_OK) return undefined;
  const exception = events.findLast(({ name }) => name === 'exception')?.attributes;
  const text = (name: string) => {
    const value = exception?.get(`exception.${name}`);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const said = [text('message') ?? text('type'), text('stacktrace')].filter(Boolean).join('\n\n');
  if (said !== '') return said;
  return status.code === STATUS_ERROR ? status.message || 'The span ended with an error.' : undefined;
}

/** Messages are inputs and outputs, and exceptions the error. */
function eventsText({ events }: Span): string | undefined {
  const content = [tables.inputs.event[0], tables.outputs.event[0], 'exception'];
  const others = events.filter(({ name }) => !(name in tables.message_events) && !content.includes(name));
  if (others.length === 0) return undefined;
  return JSON.stringify(
    others.map(({ name, time_ns, attributes }) => ({
      name,
      time: instantOfNs(time_ns),
      ...(attributes.size === 0 ? {} : { kwargs: Object.fromEntries(attributes) }),
    })),
  );
}

function attachmentsOf(run_id: string, list: unknown): AttachmentOperation[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const { name, content, mime_type } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || name === '' || typeof content !== 'string') return [];
    const content_type = typeof mime_type === 'string' ? mime_type : 'application/octet-stream';
    return [
      {
        run_id,
        name: columnText(name, 500),
        content_type: columnText(content_type, 200),
        content: Buffer.from(content, 'base64'),
      },
    ];
  });
}
