import { runTypes } from '@roadstead/contracts/run-types';
import { isUuid, inTimeSlices } from '@roadstead/kit';
import { columnText } from '../values/column-text-rules.ts';
import {
  isDottedOrder,
  MAX_TAGS,
  NAME_LENGTH,
  runOperationOf,
  type SentPayload,
  SESSION_NAME_LENGTH,
  TAG_LENGTH,
} from '../decoding/run-fields-rules.ts';
import type { AttachmentOperation, Operations, PayloadKind, RunOperation } from '../records/run-operation.ts';
import { type BodyReading, readPayload } from '../decoding/sent-json-codec.ts';
import * as tables from './attribute-tables.ts';
import { payloadTexts, readAttributes } from './span-content-codec.ts';
import { instantOfNs, placesOf, type SpanPlace } from './span-placement-rules.ts';
import { type AttributeReader, jsonOf } from './span-reader.ts';
import { isSpanId, isTraceId, type Span } from './span.ts';

/** Turns spans into operations: each is a whole run, which began and ended. */

export interface SpanOperations extends Operations {
  /** The number of spans without valid ids, which are no runs. */
  readonly rejected: number;
}

export interface SpanReading extends BodyReading {
  /** The project of spans that name none. */
  readonly project: string | undefined;
}

export async function operationsOf(
  spans: readonly Span[],
  { project, ...reading }: SpanReading,
): Promise<SpanOperations> {
  const valid = spans.filter((span) => isTraceId(span.trace_id) && isSpanId(span.span_id));
  const rejected = spans.length - valid.length;
  if (rejected > 0) reading.faults.add('spans', `${rejected} of them have no valid ids, and are left out`);
  const places = await inTimeSlices(placesOf(valid), reading.slice);
  const runs: RunOperation[] = [];
  const attachments: AttachmentOperation[] = [];
  for (const [index, span] of valid.entries()) {
    const place = places[index];
    if (place === undefined) continue;
    const attributes = await readAttributes(span, reading);
    attachments.push(...attachmentsOf(place.run_id, attributes));
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
  reading: BodyReading,
): Promise<RunOperation> {
  const at = `span.${span.span_id}`;
  const run_type = runTypeOf(attributes);
  const main = {
    ...place,
    name: nameOf(span, attributes, run_type),
    run_type,
    start_time: instantOfNs(span.start_ns),
    end_time: instantOfNs(span.end_ns),
    ...sessionOf(attributes, project),
    reference_example_id: uuidOf(attributes, tables.reference_example_id),
    tags: tagsOf(attributes),
  };
  takePlace(attributes, place);
  const texts = await payloadTexts({ span, attributes, name: main.name }, reading);
  const payloads: Partial<Record<PayloadKind, SentPayload>> = {};
  for (const [kind, text] of Object.entries(texts) as [PayloadKind, string | undefined][]) {
    if (text === undefined) continue;
    const json = Buffer.from(text);
    const payload = await readPayload({ kind, json, at: `${at}.${kind}` }, reading);
    if (payload !== undefined) payloads[kind] = payload;
  }
  const operation = runOperationOf(
    { at, verb: 'post', run_id: place.run_id, main, payloads },
    reading.faults,
  );
  return { ...operation, told_by: main.end_time === undefined ? 'open_span' : 'span' };
}

/** Takes the attributes that the span's place repeats. */
function takePlace(attributes: AttributeReader, place: SpanPlace): void {
  const { dotted_order, ...ids } = place;
  const shown = [...Object.values(ids), ...(isDottedOrder(dotted_order) ? [dotted_order] : [])];
  attributes.takeSame(Object.values(tables.identity), ...shown.map((one) => jsonOf(one ?? '')));
  attributes.takeSame([tables.identity.is_root], jsonOf(true), jsonOf('true'));
}

function runTypeOf(attributes: AttributeReader): string {
  const read = (name: string) => {
    const value = attributes.peek(name);
    return typeof value === 'string' ? value.toLowerCase() : '';
  };
  const own = read(tables.own_run_type);
  const found = tables.run_types.map(([name, types]) => types.get(read(name)));
  const isTool = read('gen_ai.tool.name') !== '';
  const isPrompt = attributes.peek('llm.prompt_template.variables') !== undefined;
  const [operation, ...others] = found;
  const type = operation ?? (isTool ? 'tool' : (others.find(Boolean) ?? (isPrompt ? 'prompt' : 'chain')));
  const run_type = runTypes.find((one) => one === own) ?? type;
  attributes.takeSame([tables.own_run_type, ...tables.run_types.map(([name]) => name)], jsonOf(run_type));
  return run_type;
}

function nameOf(span: Span, attributes: AttributeReader, run_type: string): string {
  const said = attributes.firstText(...tables.names);
  const tool =
    said === undefined && run_type === 'tool' ? attributes.firstText(...tables.tool_names) : undefined;
  const name = said ?? tool ?? span.name;
  const all = [...tables.names, ...tables.tool_names];
  if (isWhole(name, NAME_LENGTH)) attributes.takeSame(all, jsonOf(name));
  else attributes.keep(...all);
  return name;
}

/** Whether a column keeps the whole text; otherwise the text also stays where it was sent. */
const isWhole = (text: string, length: number) => columnText(text, length) === text;

/** A project is known by its id before its name. */
function sessionOf(attributes: AttributeReader, project: string | undefined) {
  const session_id = uuidOf(attributes, tables.session.id);
  if (session_id !== undefined) return { session_id };
  const named = attributes.firstText(tables.session.name);
  if (named !== undefined && !isWhole(named, SESSION_NAME_LENGTH)) attributes.keep(tables.session.name);
  return { session_name: named ?? project };
}

function uuidOf(attributes: AttributeReader, name: string): string | undefined {
  const value = attributes.peek(name);
  if (typeof value !== 'string' || !isUuid(value)) return undefined;
  attributes.take(name);
  return value;
}

/** A value that is no text stays where it was sent. */
function tagsOf(attributes: AttributeReader): readonly string[] | undefined {
  const name = tables.tags.find((one) => attributes.peek(one) !== undefined);
  const value = name === undefined ? undefined : attributes.peek(name);
  if (name === undefined || (typeof value !== 'string' && !Array.isArray(value))) return undefined;
  const tags = Array.isArray(value)
    ? value.filter((tag): tag is string => typeof tag === 'string')
    : value
        .split(',')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== '');
  const isAll = typeof value === 'string' || tags.length === value.length;
  if (isAll && tags.length <= MAX_TAGS && tags.every((tag) => isWhole(tag, TAG_LENGTH)))
    attributes.take(name);
  return tags;
}

/** A value that is no file stays where it was sent. */
function attachmentsOf(run_id: string, attributes: AttributeReader): AttachmentOperation[] {
  const list = attributes.meaning(tables.attachments);
  if (!Array.isArray(list)) return [];
  const found = list.flatMap((entry: unknown) => {
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
  const isAll = found.every((file, at) => isWholeFile(list[at], file));
  if (found.length === list.length && isAll) attributes.take(tables.attachments);
  return found;
}

function isWholeFile(entry: unknown, { name, content_type }: AttachmentOperation): boolean {
  const sent = entry as Readonly<Record<string, unknown>>;
  const isShown = sent['name'] === name && [undefined, content_type].includes(sent['mime_type'] as string);
  return isShown && /^[\w+/\s-]*=*\s*$/.test(sent['content'] as string);
}
