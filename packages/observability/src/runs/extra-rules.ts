import { TimeSlice } from '@roadstead/kit';
import { membersAtOnce, membersOf } from '../ingest/json-slices-codec.ts';

/**
 * `extra` is the one payload whose parts come in several calls: a later one is merged over those
 * before, name by name, and so is what `metadata` and `runtime` hold. Values stay as they were written.
 */

/** Larger ones are not merged: the later one replaces the earlier one. */
export const MAX_MERGED_BYTES = 65_536;

const nested: ReadonlySet<string> = new Set(['metadata', 'runtime']);

export function mergedExtra(base: Uint8Array, next: Uint8Array): Uint8Array {
  if (isEmpty(next)) return base;
  if (Math.max(base.length, next.length) > MAX_MERGED_BYTES) return next;
  const before = membersAtOnce(base);
  const after = membersAtOnce(next);
  if (before === undefined || after === undefined) return next;
  return written(
    overlaid(before, after, (name, low, high) => (nested.has(name) ? objects(low, high) : high)),
  );
}

/** Whether it is an empty object. */
function isEmpty(json: Uint8Array): boolean {
  return json.length < 100 && membersAtOnce(json)?.size === 0;
}

function objects(low: Uint8Array, high: Uint8Array): Uint8Array {
  const before = membersAtOnce(low);
  const after = membersAtOnce(high);
  if (before === undefined || after === undefined) return high;
  return written(overlaid(before, after, (_name, _low, one) => one));
}

type Members = ReadonlyMap<string, Uint8Array>;

function overlaid(
  before: Members,
  after: Members,
  merge: (name: string, low: Uint8Array, high: Uint8Array) => Uint8Array,
): Map<string, Uint8Array> {
  const members = new Map(before);
  for (const [name, high] of after) {
    const low = before.get(name);
    if (low === undefined) members.set(name, high);
    else if (!isNull(high)) members.set(name, merge(name, low, high));
  }
  return members;
}

/** A larger one is told as it was sent. */
const MAX_EDITED_BYTES = 262_144;

/** The metadata that the server adds on reading: how deep in its trace the run stands, unless the client said so. */
export function withDepth(extra: Uint8Array, depth: number): Uint8Array {
  if (extra.length > MAX_EDITED_BYTES) return extra;
  const members = membersAtOnce(extra);
  if (members === undefined) return extra;
  const metadata = members.get('metadata');
  const inner = metadata === undefined || isNull(metadata) ? new Map() : membersAtOnce(metadata);
  if (inner === undefined || inner.has('ls_run_depth')) return extra;
  const deepened = written(new Map([...inner, ['ls_run_depth', Buffer.from(String(depth))]]));
  return written(new Map([...members, ['metadata', deepened]]));
}

/** What stands under `metadata`, with the depth; of whatever size. */
export async function metadataOf(extra: Uint8Array, depth: number): Promise<Uint8Array> {
  const members = await membersOf(withDepth(extra, depth), new TimeSlice());
  const metadata = members?.get('metadata');
  return metadata === undefined || isNull(metadata) ? Buffer.from('{}') : metadata;
}

const isNull = (json: Uint8Array) => json.length === 4 && json[0] === 0x6e;

function written(members: Members): Buffer {
  const parts = [...members].flatMap(([name, json], index) => [
    Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`),
    json,
  ]);
  return Buffer.concat([Buffer.from('{'), ...parts, Buffer.from('}')]);
}
