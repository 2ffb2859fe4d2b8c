import { TimeSlice } from '@roadstead/kit';
import { membersAtOnce, membersOf } from '../ingest/json-slices-codec.ts';
import { ancestorsOf } from './placement-rules.ts';
import type { RunRow } from './run-row.ts';

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

/** What the server adds to a run's metadata where the client did not say it. */
export type OwnMetadata = Readonly<Record<string, string | number | boolean>>;

/**
 * How deep in its trace it stands; of a root that names a parent, which one did not come so far; and of an error that is no
 * failure, that it is none.
 */
export function ownMetadataOf(
  row: Pick<RunRow, 'dotted_order' | 'is_root' | 'parent_run_id' | 'has_error' | 'error_preview'>,
): OwnMetadata {
  return {
    ls_run_depth: ancestorsOf(row.dotted_order).length,
    ...(row.is_root && row.parent_run_id !== null ? { orphan_of: row.parent_run_id } : {}),
    ...(row.error_preview !== null && !row.has_error ? { is_bubble_up: true } : {}),
  };
}

/** Added on reading: what is stored stays as it was sent. */
export function withOwnMetadata(extra: Uint8Array, own: OwnMetadata): Uint8Array {
  if (extra.length > MAX_EDITED_BYTES) return extra;
  const at = plainMetadataAt(extra, own);
  if (at !== undefined) {
    const added = JSON.stringify(own).slice(1, -1);
    return Buffer.concat([extra.subarray(0, at), Buffer.from(`${added},`), extra.subarray(at)]);
  }
  const members = membersAtOnce(extra);
  if (members === undefined) return extra;
  const metadata = members.get('metadata');
  const inner = metadata === undefined || isNull(metadata) ? new Map() : membersAtOnce(metadata);
  if (inner === undefined) return extra;
  const added = Object.entries(own).filter(([name]) => !inner.has(name));
  if (added.length === 0) return extra;
  const values = added.map(([name, value]) => [name, Buffer.from(JSON.stringify(value))] as const);
  return written(new Map([...members, ['metadata', written(new Map([...inner, ...values]))]]));
}

const METADATA = '"metadata":{"';

/**
 * Where the first member of `metadata` stands, in texts as clients write them: the name is there once, so that it isn't
 * one of another object, none of ours are there, and no escape hides one. That is told sooner than the text is taken apart.
 */
function plainMetadataAt(extra: Uint8Array, own: OwnMetadata): number | undefined {
  const json = Buffer.from(extra.buffer, extra.byteOffset, extra.length);
  const at = json.indexOf(METADATA);
  const is_said = (text: string) => json.includes(text);
  if (at < 0 || json.indexOf('"metadata"', at + 1) >= 0 || is_said(String.raw`\u`)) return undefined;
  if (json.indexOf('"metadata"') !== at || Object.keys(own).some((name) => is_said(`"${name}"`)))
    return undefined;
  const isMember = (value: unknown) => typeof value === 'object' && value !== null && 'metadata' in value;
  try {
    return isMember(JSON.parse(json.toString())) ? at + METADATA.length - 1 : undefined;
  } catch {
    return undefined;
  }
}

/** What stands under `metadata`, with what the server adds; of whatever size. */
export async function metadataOf(extra: Uint8Array, own: OwnMetadata): Promise<Uint8Array> {
  const members = await membersOf(withOwnMetadata(extra, own), new TimeSlice());
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
