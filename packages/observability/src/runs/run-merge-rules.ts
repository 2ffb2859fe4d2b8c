import type { Side } from '@roadstead/contracts/messages';
import {
  type PayloadKind,
  payloadKinds,
  type RunFields,
  type RunOperation,
} from '../ingest/run-operation.ts';

/**
 * How the halves of a run become one record, whatever their order: the last value that is there wins, and what a patch
 * said a post doesn't overwrite. Each field therefore carries one bit: whether a patch said it.
 */

/** In the order of their bits; only ever appended to. */
const mergedFields = [
  'trace_id',
  'dotted_order',
  'parent_run_id',
  'name',
  'run_type',
  'start_time',
  'end_time',
  'first_token_time',
  'session',
  'thread_id',
  'reference_example_id',
  'tags',
  'inputs_preview',
  'outputs_preview',
  'error_preview',
  'usage',
  'model',
] as const satisfies readonly (keyof RunFields)[];

/** Fields, and which of them a patch said, as a bit set over `mergedFields`. */
export interface Ranked {
  readonly fields: RunFields;
  readonly patched: number;
}

export const nothingSaid: Ranked = { fields: {}, patched: 0 };

/** Associative, so that what one request or one flush holds may be merged before it meets the stored record. */
export function mergeRanked(base: Ranked, next: Ranked): Ranked {
  const fields: Record<string, unknown> = { ...base.fields };
  let { patched } = base;
  for (const [index, name] of mergedFields.entries()) {
    const bit = 1 << index;
    const value = next.fields[name];
    const outranked = (patched & bit) !== 0 && (next.patched & bit) === 0 && fields[name] !== undefined;
    if (value === undefined || outranked) continue;
    fields[name] = value;
    patched = (patched & ~bit) | (next.patched & bit);
  }
  return { fields, patched };
}

function rankedOf(operation: RunOperation): Ranked {
  if (operation.verb === 'post') return { fields: operation.fields, patched: 0 };
  const bits = mergedFields.map((name, index) => (operation.fields[name] === undefined ? 0 : 1 << index));
  return { fields: operation.fields, patched: bits.reduce((all, bit) => all | bit, 0) };
}

/** Payload bytes with their bit set over `payloadKinds`, by the same rule. */
export interface RankedPayloads {
  readonly payloads: Partial<Record<PayloadKind, Uint8Array>>;
  readonly patched: number;
  /** Every `extra` of the run, in the order in which they came: they are merged rather than replaced. */
  readonly extras: readonly SentExtra[];
  /** Messages that come beside those that are there; absent where none do. */
  readonly added?: readonly AddedMessages[] | undefined;
}

interface AddedMessages {
  readonly side: Side;
  /** Which request of the flush told them. */
  readonly request: number;
  readonly packed: Uint8Array;
}

export interface SentExtra {
  readonly packed: Uint8Array;
  readonly is_patch: boolean;
}

/** All that one flush says of one run. */
export interface RunDraft extends Ranked {
  readonly workspace_id: string;
  readonly run_id: string;
  readonly sent: RankedPayloads;
  /** Whether its beginning was sent; a patch alone doesn't show whether it has a parent. */
  readonly posted: boolean;
  /** Which requests of the flush said something of it. */
  readonly requests: ReadonlySet<number>;
}

export interface RequestRuns {
  readonly workspace_id: string;
  readonly runs: readonly RunOperation[];
}

/** A run id means something within its workspace only. */
export const keyOf = (run: { readonly workspace_id: string; readonly run_id: string }): string =>
  `${run.workspace_id}/${run.run_id}`;

export function draftsOf(requests: readonly RequestRuns[]): Map<string, RunDraft> {
  const drafts = new Map<string, RunDraft>();
  for (const [index, { workspace_id, runs }] of requests.entries()) {
    for (const operation of runs) {
      const key = keyOf({ workspace_id, run_id: operation.run_id });
      const draft = drafts.get(key);
      drafts.set(key, {
        workspace_id,
        run_id: operation.run_id,
        ...mergeRanked(draft ?? nothingSaid, rankedOf(operation)),
        posted: draft?.posted === true || (operation.has_main && operation.verb === 'post'),
        sent: mergePayloads(draft?.sent ?? { payloads: {}, patched: 0, extras: [] }, operation, index),
        requests: new Set([...(draft?.requests ?? []), index]),
      });
    }
  }
  return drafts;
}

function mergePayloads(base: RankedPayloads, operation: RunOperation, request: number): RankedPayloads {
  const payloads = { ...base.payloads };
  let { patched } = base;
  const is_patch = operation.verb === 'patch';
  const added = addedBy(operation, request);
  for (const [index, kind] of payloadKinds.entries()) {
    const bit = 1 << index;
    const bytes = operation.payloads[kind];
    if (bytes === undefined || (!is_patch && (patched & bit) !== 0)) continue;
    if (added.some(({ side }) => side === kind)) continue;
    payloads[kind] = bytes;
    if (is_patch) patched |= bit;
  }
  const { extra } = operation.payloads;
  const extras = extra === undefined ? base.extras : [...base.extras, { packed: extra, is_patch }];
  const all = [...(base.added ?? []), ...added];
  return { payloads, patched, extras, ...(all.length === 0 ? {} : { added: all }) };
}

function addedBy({ adds_messages, payloads }: RunOperation, request: number): AddedMessages[] {
  if (adds_messages !== true) return [];
  return (['inputs', 'outputs'] as const).flatMap((side) => {
    const packed = payloads[side];
    return packed === undefined ? [] : [{ side, request, packed }];
  });
}
