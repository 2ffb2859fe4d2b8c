import { type MultipartPart, parseMultipart } from '@remix-run/multipart-parser';
import { isUuid, malformed, Problem } from '@roadstead/kit';
import { columnText } from './column-text-rules.ts';
import { inlinePayloads } from './json-codec.ts';
import { readText, readUuid, runOperationOf, type SentPayload } from './run-fields-rules.ts';
import {
  type AttachmentOperation,
  type FeedbackOperation,
  type Operations,
  type PayloadKind,
  payloadKinds,
  type RunOperation,
  type Verb,
} from './run-operation.ts';
import { parseJson, parseObject, payloadOf } from './sent-json-codec.ts';

/**
 * `POST /runs/multipart`: parts `post.{id}`, `patch.{id}`, `{verb}.{id}.{field}`, `feedback.{id}` and
 * `attachment.{run_id}.{name}` (reference A4). Lengths that a part announces are not held against it: the boundary
 * decides, and older clients count characters instead of bytes.
 */

const MAX_PARTS = 50_000;

interface SentPart {
  readonly name: string;
  readonly content: Uint8Array;
  readonly content_type: string;
}

/** @throws Problem `malformed` or `invalid`, naming the part. */
export function decodeMultipart(body: Uint8Array, content_type: string | null): Operations {
  const runs = new Map<string, { verb: Verb; run_id: string; parts: SentPart[] }>();
  const feedback: FeedbackOperation[] = [];
  const attachments: AttachmentOperation[] = [];
  for (const [index, part] of partsOf(body, boundaryOf(content_type)).entries()) {
    const [kind = '', raw_id = '', ...rest] = part.name.split('.');
    if (!isUuid(raw_id)) throw malformed([`part ${index + 1}`], `its name is none of ${NAMES}`);
    const id = raw_id.toLowerCase();
    if (kind === 'post' || kind === 'patch') {
      const key = `${kind}.${id}`;
      const run = runs.get(key);
      if (run === undefined) runs.set(key, { verb: kind, run_id: id, parts: [part] });
      else run.parts.push(part);
    } else if (kind === 'feedback') feedback.push(feedbackOf(id, part));
    else if (kind === 'attachment') attachments.push(attachmentOf(id, rest.join('.'), part));
    else throw malformed([`part ${index + 1}`], `its name is none of ${NAMES}`);
  }
  return { runs: [...runs.values()].map(runOf), feedback, attachments };
}

const NAMES = 'post.{id}, patch.{id}, post.{id}.{field}, feedback.{id}, attachment.{run_id}.{name}';

function boundaryOf(content_type: string | null): string {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]+)"|([^;\s]+))/i.exec(content_type ?? '') ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined)
    throw new Problem(
      'invalid',
      'The body must be multipart/form-data, and Content-Type must name its boundary.',
    );
  return boundary;
}

function partsOf(body: Uint8Array, boundary: string): SentPart[] {
  try {
    const limits = { maxFileSize: body.length, maxTotalSize: body.length, maxParts: MAX_PARTS };
    return [...parseMultipart(body, { boundary, ...limits })].map(sentPart);
  } catch (error) {
    throw new Problem('malformed', 'The multipart body is cut off or is not one.', {
      cause: error,
      issues: [{ loc: ['body'], msg: 'is cut off or is no multipart body', type: 'multipart_invalid' }],
    });
  }
}

function sentPart(part: MultipartPart): SentPart {
  const { 'content-disposition': disposition = '', 'content-type': type = '' } = part.headers;
  const [only, ...others] = part.content;
  return {
    name: /;\s*name="([^"]*)"/i.exec(disposition)?.[1] ?? /;\s*name=([^;\s]+)/i.exec(disposition)?.[1] ?? '',
    content: only !== undefined && others.length === 0 ? only : part.bytes,
    content_type: type.replace(/;\s*length=\d+/i, '').trim(),
  };
}

function runOf(run: { verb: Verb; run_id: string; parts: readonly SentPart[] }): RunOperation {
  const { verb, run_id } = run;
  const at = `${verb}.${run_id}`;
  let main: Readonly<Record<string, unknown>> | undefined;
  const payloads: Partial<Record<PayloadKind, SentPayload>> = {};
  for (const part of run.parts) {
    const field = part.name.split('.').slice(2).join('.');
    if (field === '') {
      main = parseObject(part.content, at);
      Object.assign(payloads, inlinePayloads(part.content, main));
    } else if (isPayloadKind(field)) {
      payloads[field] = payloadOf(field, part.content, () => parseJson(part.content, part.name));
    }
    // A field that this version doesn't know: what it does know of the run is worth more than a refusal.
  }
  return runOperationOf({ at, verb, run_id, main, payloads });
}

function isPayloadKind(name: string): name is PayloadKind {
  return (payloadKinds as readonly string[]).includes(name);
}

function feedbackOf(feedback_id: string, part: SentPart): FeedbackOperation {
  const at = `feedback.${feedback_id}`;
  const record = parseObject(part.content, at);
  const key = readText(record['key'], `${at}.key`, 180);
  if (key === undefined) throw malformed([`${at}.key`], 'is missing');
  return {
    feedback_id,
    key,
    run_id: readUuid(record['run_id'], `${at}.run_id`),
    trace_id: readUuid(record['trace_id'], `${at}.trace_id`),
    session_id: readUuid(record['session_id'], `${at}.session_id`),
    record: part.content,
  };
}

function attachmentOf(run_id: string, name: string, part: SentPart): AttachmentOperation {
  if (name === '') throw malformed([`attachment.${run_id}`], 'has no name');
  return {
    run_id,
    name: columnText(name, 500),
    content_type: columnText(part.content_type === '' ? 'application/octet-stream' : part.content_type, 200),
    content: part.content,
  };
}
