import { membersOf } from '@roadstead/json';
import type { TimeSlice } from '@roadstead/kit';
import { columnText } from '../values/column-text-rules.ts';
import type { Payloads } from '../records/run-operation.ts';
import { ownMetadataOf } from '../merging/extra-rules.ts';
import type { RunRow } from '../records/run-row.ts';
import {
  type Entries,
  EntryList,
  parsed,
  PARSED_BYTES,
  type ScalarVisit,
  walkMembers,
  walkScalars,
} from './entry-rules.ts';
import { bucketOf, termOf, timeTerms } from './term-rules.ts';
import { type WordField, Words } from './word-rules.ts';

/** The content of a run's search row: the values by which filters find it, beside the columns of its hot row. */
export interface SearchEntry {
  /** The terms for the inverted index. */
  readonly terms: readonly number[];
  /** The scalars of `extra.metadata`, as text, by their dotted keys; a list where a key has several. */
  readonly metadata: Entries;
  /** The scalars of the payloads, in the same form. */
  readonly io: { readonly inputs: Entries; readonly outputs: Entries };
  /** `String(words)` is text that Postgres reads as a `tsvector`. */
  readonly words: Words;
}

/** The entry of a run that no filter finds. */
export const noEntry: SearchEntry = {
  terms: [],
  metadata: {},
  io: { inputs: {}, outputs: {} },
  words: new Words(),
};

/** The limit on scalars of one payload; an agent's has some hundreds. */
const MAX_SCALARS = 10_000;

export interface SearchSource {
  readonly row: SearchedColumns;
  /** The payloads as unpacked JSON. */
  readonly payloads: Payloads<Uint8Array>;
}

/**
 * The columns of a hot row that the index contains as well: when one of these changes, the run must be digested
 * again.
 */
type SearchedColumns = Pick<
  RunRow,
  | 'session_id'
  | 'name'
  | 'run_type'
  | 'thread_id'
  | 'tags'
  | 'dotted_order'
  | 'is_root'
  | 'parent_run_id'
  | 'start_time'
  | 'end_time'
  | 'has_error'
  | 'error_preview'
>;

/** Reads only the indexed part of a payload, and pauses where it is large. */
export async function searchEntryOf(source: SearchSource, slice: TimeSlice): Promise<SearchEntry> {
  const { row, payloads } = source;
  const words = new Words();
  words.add('name', row.name ?? '');
  for (const tag of row.tags ?? []) words.add('tags', tag);
  const metadata = new EntryList('metadata');
  const inputs = new EntryList('input');
  const outputs = new EntryList('output');
  const parts = [
    { source: await metadataIn(payloads.extra, slice), list: metadata, field: 'metadata' },
    { source: payloads.inputs, list: inputs, field: 'inputs' },
    { source: payloads.outputs, list: outputs, field: 'outputs' },
    { source: payloads.error, list: undefined, field: 'error' },
  ] as const;
  for (const { source, list, field } of parts) {
    if (source === undefined) continue;
    const visit = visitOf({ words, list, field });
    if (source instanceof Uint8Array) await walkScalars(source, visit, slice);
    else walkMembers(source.value, visit);
    if (slice.isOver()) await slice.next();
  }
  // The metadata as answers show them, since clients take the names from there.
  for (const [name, value] of Object.entries(ownMetadataOf(row)))
    if (!metadata.hasKey(name) && words.takesEntries)
      words.add('metadata', String(value), metadata.add(name, String(value)));
  return {
    // Terms of one family never equal those of another.
    terms: [...new Set(columnTerms(row)), ...metadata.terms, ...inputs.terms, ...outputs.terms],
    metadata: metadata.entries,
    io: { inputs: inputs.entries, outputs: outputs.entries },
    words,
  };
}

/** The metadata, parsed already where the text that holds them is small. */
async function metadataIn(
  extra: Uint8Array | undefined,
  slice: TimeSlice,
): Promise<Uint8Array | { readonly value: unknown } | undefined> {
  if (extra === undefined) return undefined;
  const value = extra.length <= PARSED_BYTES ? parsed(extra) : undefined;
  if (value === undefined) return (await membersOf(extra, slice))?.get('metadata');
  const { metadata }: { readonly metadata?: unknown } = Object(value);
  return { value: metadata };
}

/** A visitor that takes the scalars of one payload, as far as they fit. */
function visitOf({
  words,
  list,
  field,
}: {
  readonly words: Words;
  readonly list: EntryList | undefined;
  readonly field: WordField;
}): ScalarVisit {
  let seen = 0;
  return {
    key: (key) => list?.addKey(key) ?? true,
    scalar: (key, value) => {
      const text = String(value);
      const is_entry = words.takesEntries && list?.add(key, text) === true;
      if (value !== null) words.add(field, text, is_entry);
      seen += 1;
      return seen < MAX_SCALARS && (list?.takesMore === true || words.takes(field));
    },
  };
}

function columnTerms(row: SearchedColumns): number[] {
  return [
    termOf('project', row.session_id),
    ...timeTerms(row.start_time),
    termOf('name', row.name ?? ''),
    termOf('run_type', row.run_type ?? 'chain'),
    ...(row.thread_id === null ? [] : [termOf('thread', row.thread_id)]),
    ...(row.tags ?? []).map((tag) => termOf('tag', columnText(tag))),
    ...(row.end_time === null
      ? []
      : [termOf('latency', String(bucketOf(Date.parse(row.end_time) - Date.parse(row.start_time))))]),
  ];
}
