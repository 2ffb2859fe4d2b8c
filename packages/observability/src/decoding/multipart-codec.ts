import { membersOf } from '@roadstead/json';
import { isUuid } from '@roadstead/kit';
import { columnText } from '../values/column-text-rules.ts';
import { feedbackOf } from './feedback-codec.ts';
import { inlinePayloads } from './json-codec.ts';
import { type SentPart, sentParts } from './multipart-parts.ts';
import { mainFieldNames, runOperationOf, type SentPayload } from './run-fields-rules.ts';
import {
  type AttachmentOperation,
  type FeedbackOperation,
  type Operations,
  type PayloadKind,
  payloadKinds,
  type RunOperation,
  type Verb,
} from '../records/run-operation.ts';
import { type BodyReading, readMembers, readPayload } from './sent-json-codec.ts';

/**
 * `POST /runs/multipart`: parts `post.{id}`, `patch.{id}`, `{verb}.{id}.{field}`, `feedback.{id}` and
 * `attachment.{run_id}.{name}`. The announced length of a part is ignored: the boundary decides, since older clients
 * count characters instead of bytes.
 */

interface SentRun {
  readonly verb: Verb;
  readonly run_id: string;
  readonly parts: SentPart[];
}

/** @throws Problem `malformed` or `invalid` where the body is no multipart body; single bad parts are noted. */
export async function decodeMultipart(
  body: Uint8Array,
  { content_type, ...reading }: BodyReading & { readonly content_type: string | null },
): Promise<Operations> {
  const { slice, faults } = reading;
  const sent = new Map<string, SentRun>();
  const feedback: FeedbackOperation[] = [];
  const attachments: AttachmentOperation[] = [];
  for (const [index, part] of (await sentParts(body, { content_type, slice })).entries()) {
    const [kind = '', raw_id = '', ...rest] = part.name.split('.');
    const id = isUuid(raw_id) ? raw_id.toLowerCase() : '';
    if (kind === 'attachment' && id !== '' && rest.length > 0)
      attachments.push(attachmentOf(id, rest.join('.'), part));
    else if (kind === 'feedback' && id !== '') {
      const one = await feedbackOf(id, part.content, reading);
      if (one !== undefined) feedback.push(one);
    } else if ((kind === 'post' || kind === 'patch') && id !== '') {
      const key = `${kind}.${id}`;
      const run = sent.get(key) ?? { verb: kind, run_id: id, parts: [] };
      run.parts.push(part);
      sent.set(key, run);
    } else faults.add(`part ${index + 1}`, `is left out: its name is none of ${NAMES}`);
    if (slice.isOver()) await slice.next();
  }
  const runs: RunOperation[] = [];
  for (const run of sent.values()) {
    runs.push(await runOf(run, reading));
    if (slice.isOver()) await slice.next();
  }
  faults.refuseUnknownTypes({ runs: runs.length });
  return { runs, feedback, attachments };
}

const NAMES = 'post.{id}, patch.{id}, post.{id}.{field}, feedback.{id}, attachment.{run_id}.{name}';

async function runOf(run: SentRun, reading: BodyReading): Promise<RunOperation> {
  const { verb, run_id } = run;
  const at = `${verb}.${run_id}`;
  let main: Readonly<Record<string, unknown>> | undefined;
  const payloads: Partial<Record<PayloadKind, SentPayload>> = {};
  for (const part of run.parts) {
    const field = part.name.split('.').slice(2).join('.');
    // A field that this version doesn't know is skipped: the known rest of the run is worth more than a refusal.
    if (field !== '' && !isPayloadKind(field)) continue;
    if (isPayloadKind(field)) {
      const payload = await readPayload({ kind: field, json: part.content, at: part.name }, reading);
      if (payload !== undefined) payloads[field] = payload;
      continue;
    }
    const members = await membersOf(part.content, reading.slice);
    if (members === undefined) {
      reading.faults.add(at, 'is not a JSON object, and is left out');
      continue;
    }
    main = await readMembers(members, { names: mainFieldNames, at }, reading);
    Object.assign(payloads, await inlinePayloads({ at, members }, reading));
  }
  return runOperationOf({ at, verb, run_id, main, payloads }, reading.faults);
}

function isPayloadKind(name: string): name is PayloadKind {
  return (payloadKinds as readonly string[]).includes(name);
}

function attachmentOf(run_id: string, name: string, part: SentPart): AttachmentOperation {
  return {
    run_id,
    name: columnText(name, 500),
    content_type: columnText(part.content_type === '' ? 'application/octet-stream' : part.content_type, 200),
    content: part.content,
  };
}
