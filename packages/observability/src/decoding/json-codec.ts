import { elementsOf, membersOf } from '@roadstead/json';
import { isUuid, malformed, uuidv7 } from '@roadstead/kit';
import { mainFieldNames, runOperationOf, type SentPayload } from './run-fields-rules.ts';
import {
  type PayloadKind,
  payloadKinds,
  type Operations,
  type RunOperation,
  type Verb,
} from '../records/run-operation.ts';
import { isSmall, type BodyReading, readMembers, readObject, readPayload } from './sent-json-codec.ts';

/** The JSON dialects of ingestion: `/runs/batch`, `POST /runs`, `PATCH /runs/{run_id}`. */

const of = (runs: readonly RunOperation[]): Operations => ({ runs, feedback: [], attachments: [] });
const names = ['id', ...mainFieldNames];

interface InlineRun {
  /** The name of the run in faults. */
  readonly at: string;
  readonly members: Members;
  /** The parsed members, where the run was parsed at once. */
  readonly whole?: Readonly<Record<string, unknown>> | undefined;
}

type Members = ReadonlyMap<string, Uint8Array>;

/** `{post: [run…], patch: [run…]}`, either of which may be missing. @throws Problem `malformed` for any other body. */
export async function decodeBatch(json: Uint8Array, reading: BodyReading): Promise<Operations> {
  const body = await bodyOf(json, reading);
  const runs: RunOperation[] = [];
  for (const verb of ['post', 'patch'] as const) {
    const list = body.get(verb);
    if (list === undefined || isNull(list)) continue;
    const texts = await elementsOf(list, reading.slice);
    if (texts === undefined) throw malformed([verb], 'is not a list');
    for (const [index, text] of texts.entries()) {
      const at = `${verb}.${index}`;
      const members = await membersOf(text, reading.slice);
      const run =
        members && (await runOf({ verb, at, members, whole: await wholeOf(text, reading) }, reading));
      if (run !== undefined) runs.push(run);
      if (members === undefined) reading.faults.add(at, 'is not a JSON object, and is left out');
      if (reading.slice.isOver()) await reading.slice.next();
    }
  }
  reading.faults.refuseUnknownTypes({ runs: runs.length });
  return of(runs);
}

/** @throws Problem `malformed` where it is no run, or one of an unknown type. */
export async function decodeRun(json: Uint8Array, reading: BodyReading): Promise<Operations> {
  const members = await bodyOf(json, reading);
  const run = await runOf({ verb: 'post', at: 'body', members }, reading);
  reading.faults.refuseUnknownTypes({ runs: 1 });
  return of(run === undefined ? [] : [run]);
}

/** @param reading with the run id from the address, which wins over one in the body. */
export async function decodePatch(
  json: Uint8Array,
  { run_id, ...reading }: BodyReading & { readonly run_id: string },
): Promise<Operations> {
  if (!isUuid(run_id)) throw malformed(['run_id'], 'is not a UUID');
  const members = new Map(await bodyOf(json, reading));
  members.set('id', Buffer.from(JSON.stringify(run_id)));
  const run = await runOf({ verb: 'patch', at: 'body', members }, reading);
  return of(run === undefined ? [] : [run]);
}

/** Undefined where it must be read member by member: it is large, or one of them holds too much. */
async function wholeOf(json: Uint8Array, { room }: BodyReading) {
  return isSmall(json) && (await room.takes(json)) ? readObject(json) : undefined;
}

async function bodyOf(json: Uint8Array, { slice }: BodyReading): Promise<Members> {
  const members = await membersOf(json, slice);
  if (members === undefined) throw malformed(['body'], 'is not a JSON object', 'json_invalid');
  return members;
}

/** A cheap test, also for a list of many megabytes. */
const isNull = (json: Uint8Array) => json.length === 4 && json[0] === 0x6e;

/** Undefined, with a noted fault, where the id of the run is unclear. */
async function runOf(
  sent: InlineRun & { readonly verb: Verb },
  reading: BodyReading,
): Promise<RunOperation | undefined> {
  const { verb, at, members, whole } = sent;
  const main = await readMembers(members, { names, at, whole }, reading);
  // A run that is posted without an id is a new one.
  const id = main['id'] ?? (verb === 'post' && !members.has('id') ? uuidv7() : undefined);
  if (typeof id !== 'string' || !isUuid(id)) {
    reading.faults.add(`${at}.id`, 'is not a UUID, and the run is left out');
    return undefined;
  }
  const payloads = await inlinePayloads(sent, reading);
  return runOperationOf({ at, verb, run_id: id.toLowerCase(), main, payloads }, reading.faults);
}

/** The payloads among a run's other fields. */
export async function inlinePayloads(
  { at, members, whole }: InlineRun,
  reading: BodyReading,
): Promise<Partial<Record<PayloadKind, SentPayload>>> {
  const payloads: Partial<Record<PayloadKind, SentPayload>> = {};
  for (const kind of payloadKinds) {
    const json = members.get(kind);
    const payload =
      json &&
      (await readPayload(
        { kind, json, at: `${at}.${kind}`, known: whole && { value: whole[kind] } },
        reading,
      ));
    if (payload !== undefined && payload.value !== null) payloads[kind] = payload;
  }
  return payloads;
}
