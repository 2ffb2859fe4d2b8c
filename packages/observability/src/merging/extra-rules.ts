import { elementsOf, membersAtOnce, membersOf } from '@roadstead/json';
import { TimeSlice } from '@roadstead/kit';
import { isSmall, MAX_PAYLOAD_BYTES } from '../decoding/sent-json-codec.ts';
import { isTooLarge, listOf, objectOf as written } from '../values/json-text.ts';
import { ancestorsOf } from '../records/placement-rules.ts';
import type { RunRow } from '../records/run-row.ts';

/**
 * `extra` is the one payload whose parts come in several calls: a later part is merged over earlier ones, name by
 * name, and so are its `metadata` and `runtime`. Values stay as they were written.
 */

/** Merges several values into one: higher ones come later. */
type Merge = (values: readonly Uint8Array[], slice: TimeSlice) => Promise<Uint8Array>;

/** The place for the rest of log records that nothing else shows. */
export const LEFT_OF_LOGS = 'otel.logs';

const NOTHING = Buffer.from('{}');
const highest: Merge = async (values) => values.at(-1) ?? NOTHING;

/** A value that is no object replaces those beneath it. The names are a client's: any of them may come. */
const objects =
  (merges: ReadonlyMap<string, Merge>): Merge =>
  async (values, slice) => {
    const layers: { readonly json: Uint8Array; readonly members: Members }[] = [];
    for (const json of values.toReversed()) {
      const members = await membersIn(json, slice);
      if (members === undefined && layers.length === 0) return json;
      if (members === undefined) break;
      if (members.size > 0) layers.push({ json, members });
      if (slice.isOver()) await slice.next();
    }
    const [only, ...others] = layers.reverse();
    if (only === undefined) return values.at(-1) ?? NOTHING;
    if (others.length === 0) return only.json;
    const found = await valuesByName(layers, slice);
    const merged = new Map<string, Uint8Array>();
    for (const [name, all] of found) {
      const some = all.filter((one) => !isNull(one));
      merged.set(name, await (merges.get(name) ?? highest)(some.length === 0 ? all : some, slice));
      if (slice.isOver()) await slice.next();
    }
    return written(merged);
  };

const membersIn = async (json: Uint8Array, slice: TimeSlice) =>
  isSmall(json) ? membersAtOnce(json) : membersOf(json, slice);

async function valuesByName(
  layers: readonly { readonly members: Members }[],
  slice: TimeSlice,
): Promise<Map<string, Uint8Array[]>> {
  const found = new Map<string, Uint8Array[]>();
  for (const { members } of layers) {
    for (const [name, json] of members) {
      const others = found.get(name);
      if (others === undefined) found.set(name, [json]);
      else others.push(json);
    }
    if (slice.isOver()) await slice.next();
  }
  return found;
}

/** The records of all lists, each once, by their times. */
const records: Merge = async (values, slice) => {
  const found = new Map<string, { readonly json: Uint8Array; readonly time: string }>();
  for (const list of values) {
    const items = await elementsOf(list, slice);
    if (items === undefined) return highest(values, slice);
    for (const json of items) {
      const time = (await membersIn(json, slice))?.get('time');
      found.set(textOf(json), { json, time: time === undefined ? '' : textOf(time) });
      if (slice.isOver()) await slice.next();
    }
  }
  const inOrder = [...found].toSorted(
    ([a, one], [b, other]) => compared(one.time, other.time) || compared(a, b),
  );
  return listOf(inOrder.map(([, { json }]) => json));
};

const textOf = (json: Uint8Array) => Buffer.from(json.buffer, json.byteOffset, json.length).toString();
const compared = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const extra = objects(
  new Map([
    ['metadata', objects(new Map([[LEFT_OF_LOGS, records]]))],
    ['runtime', objects(new Map())],
  ]),
);

/** All parts of `extra`, the lowest first. @throws Problem `too_large` where a part holds more than is read. */
export const mergedExtra = async (parts: readonly Uint8Array[], slice: TimeSlice): Promise<Uint8Array> =>
  extra(parts, slice);

const FOLDED_BYTES = 65_536;

/**
 * Merges many parts, the highest first. It keeps no more bytes than about twice its result, and folds only when as much
 * has come as it holds: adding takes time in proportion to what is added.
 */
export class ExtraFolding {
  readonly #slice: TimeSlice;
  #folded: Uint8Array = NOTHING;
  #pending: Uint8Array[] = [];
  #bytes = 0;
  #isWhole = true;

  constructor(slice: TimeSlice) {
    this.#slice = slice;
  }

  async add(part: Uint8Array): Promise<void> {
    this.#pending.push(part);
    this.#bytes += part.length;
    if (this.#bytes >= Math.max(FOLDED_BYTES, this.#folded.length)) await this.#fold();
  }

  /** The folded parts. A group of parts that does not fit into the field is left out whole. */
  async merged(): Promise<{ readonly json: Uint8Array; readonly isWhole: boolean }> {
    await this.#fold();
    return { json: this.#folded, isWhole: this.#isWhole };
  }

  async #fold(): Promise<void> {
    const parts = [this.#folded, ...this.#pending].reverse();
    this.#pending = [];
    this.#bytes = 0;
    try {
      const folded = await mergedExtra(parts, this.#slice);
      if (folded.length <= MAX_PAYLOAD_BYTES) this.#folded = folded;
      else this.#isWhole = false;
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      this.#isWhole = false;
    }
  }
}

/** A larger `extra` is answered as it was sent. */
const MAX_EDITED_BYTES = 262_144;

/** The entries that the server adds to a run's metadata where the client did not send them. */
export type OwnMetadata = Readonly<Record<string, string | number | boolean>>;

/**
 * The depth in the trace; for a root that names a missing parent, that parent; and for an error that is no failure, a
 * note of that.
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

/** Adds the server's entries on reading: the stored payload stays as it was sent. */
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
 * The place of the first member of `metadata`, in texts as clients write them: the name occurs once, so that it
 * belongs to no other object, none of our names occur, and no escape hides one. This is faster than parsing the text.
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

/** The metadata with the entries of the server; of any size. */
export async function metadataOf(extra: Uint8Array, own: OwnMetadata): Promise<Uint8Array> {
  const members = await membersOf(withOwnMetadata(extra, own), new TimeSlice());
  const metadata = members?.get('metadata');
  return metadata === undefined || isNull(metadata) ? Buffer.from('{}') : metadata;
}

type Members = ReadonlyMap<string, Uint8Array>;

const isNull = (json: Uint8Array) => json.length === 4 && json[0] === 0x6e;
