import { membersOf } from './json-slices-codec.ts';
import { readText, readUuid } from './run-fields-rules.ts';
import type { FeedbackOperation } from './run-operation.ts';
import { readJson, readMembers, type Reading } from './sent-json-codec.ts';

const names = ['key', 'run_id', 'trace_id', 'session_id'];
const KEY_LENGTH = 180;

/** One feedback; undefined, and noted, where it has no key or can't be read. */
export async function feedbackOf(
  feedback_id: string,
  json: Uint8Array,
  reading: Reading,
): Promise<FeedbackOperation | undefined> {
  const { faults, slice } = reading;
  const at = `feedback.${feedback_id}`;
  const members = await membersOf(json, slice);
  const fields = members && (await readMembers(members, { names, at }, reading));
  const of = (name: string) => ({ value: fields?.[name], at: `${at}.${name}`, faults });
  const key = readText({ ...of('key'), max_length: KEY_LENGTH });
  if (members === undefined || key === undefined) {
    faults.add(
      members === undefined ? at : `${at}.key`,
      'is missing or unreadable, and the feedback is left out',
    );
    return undefined;
  }
  return {
    feedback_id,
    key,
    run_id: readUuid(of('run_id')),
    trace_id: readUuid(of('trace_id')),
    session_id: readUuid(of('session_id')),
    record: (await readJson(json)) === undefined ? await readableRecord(members, { ...reading, at }) : json,
  };
}

/** The record of those members that are JSON, when not all are. */
async function readableRecord(
  members: ReadonlyMap<string, Uint8Array>,
  { at, faults }: Reading & { readonly at: string },
): Promise<Uint8Array> {
  const written: string[] = [];
  for (const [name, json] of members) {
    if ((await readJson(json)) !== undefined)
      written.push(`${JSON.stringify(name)}:${Buffer.from(json).toString()}`);
    else if (!names.includes(name))
      faults.add(`${at}.${name}`, 'is not valid JSON in UTF-8, and is left out');
  }
  return Buffer.from(`{${written.join(',')}}`);
}
