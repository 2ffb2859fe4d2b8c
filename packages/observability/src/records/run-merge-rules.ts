import type { Side } from '@roadstead/contracts/messages';
import { type PayloadKind, payloadKinds, type RunFields, type RunOperation } from './run-operation.ts';

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

/** Fields, and how they were said, as bit sets over `mergedFields`. */
export interface RankedFields {
  readonly fields: RunFields;
  /** By a patch. */
  readonly patched: number;
  /** Only where nothing else says them. */
  readonly faint: number;
}

export const nothingSaid: RankedFields = { fields: {}, patched: 0, faint: 0 };

/** Associative, so that what one request or one flush holds may be merged before it meets the stored record. */
export function mergeRanked(base: RankedFields, next: RankedFields): RankedFields {
  const fields: Record<string, unknown> = { ...base.fields };
  let { patched, faint } = base;
  for (const [index, name] of mergedFields.entries()) {
    const bit = 1 << index;
    const value = next.fields[name];
    const rank = rankOf(next, bit);
    const outranked =
      fields[name] !== undefined && (rank === FAINT || rank < rankOf({ patched, faint }, bit));
    if (value === undefined || outranked) continue;
    fields[name] = value;
    patched = (patched & ~bit) | (next.patched & bit);
    faint = (faint & ~bit) | (next.faint & bit);
  }
  return { fields, patched, faint };
}

const FAINT = -1;
const rankOf = ({ patched, faint }: Pick<RankedFields, 'patched' | 'faint'>, bit: number): number =>
  (faint & bit) !== 0 ? FAINT : (patched & bit) === 0 ? 0 : 1;

function rankedOf(operation: RunOperation): RankedFields {
  const { fields } = operation;
  const bits = mergedFields
    .map((name, index) => (fields[name] === undefined ? 0 : 1 << index))
    .reduce((all, bit) => all | bit, 0);
  if (isFaint(operation)) return { fields, patched: 0, faint: bits };
  return { fields, patched: operation.verb === 'post' ? 0 : bits, faint: 0 };
}

/** Whether it counts only where nothing else says it: a span is all there once it has ended. */
const isFaint = ({ told_by }: RunOperation): boolean => told_by === 'open_span' || told_by === 'logs';

/** Payload bytes with their bit sets over `payloadKinds`, by the same rule. */
export interface RankedPayloads extends Pick<RankedFields, 'patched' | 'faint'> {
  readonly payloads: Partial<Record<PayloadKind, Uint8Array>>;
  /** Every `extra` of the run, in the order in which they came: they are merged rather than replaced. */
  readonly extras: readonly SentExtra[];
  /** What open spans and log records tell of the sides of the run, which comes beneath what is there. */
  readonly told: readonly ToldSide[];
  /** Whether any of it is told by OpenTelemetry. */
  readonly is_of_span: boolean;
}

const noPayloads: RankedPayloads = {
  payloads: {},
  patched: 0,
  faint: 0,
  extras: [],
  told: [],
  is_of_span: false,
};

/** What one request of the flush sent. */
interface SentPart {
  readonly request: number;
  readonly packed: Uint8Array;
}

interface ToldSide extends SentPart {
  readonly side: Side;
}

export interface SentExtra extends SentPart {
  readonly rank: number;
}

/** All that one flush says of one run. */
export interface RunDraft extends RankedFields {
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
        sent: mergePayloads(draft?.sent ?? noPayloads, operation, index),
        requests: new Set([...(draft?.requests ?? []), index]),
      });
    }
  }
  return drafts;
}

const isSide = (kind: PayloadKind): kind is Side => kind === 'inputs' || kind === 'outputs';

function mergePayloads(base: RankedPayloads, operation: RunOperation, request: number): RankedPayloads {
  const payloads = { ...base.payloads };
  let { patched, faint } = base;
  const rank = isFaint(operation) ? FAINT : operation.verb === 'patch' ? 1 : 0;
  for (const [index, kind] of payloadKinds.entries()) {
    const bit = 1 << index;
    const bytes = operation.payloads[kind];
    const isThere = payloads[kind] !== undefined;
    const outranked = isThere && (rank === FAINT || rank < rankOf({ patched, faint }, bit));
    if (bytes === undefined || outranked || (rank === FAINT && isSide(kind))) continue;
    payloads[kind] = bytes;
    patched = rank === 1 ? patched | bit : patched;
    faint = rank === FAINT ? faint | bit : faint & ~bit;
  }
  const { extra } = operation.payloads;
  const told = rank === FAINT ? toldBy(operation, request) : [];
  return {
    payloads,
    patched,
    faint,
    extras: extra === undefined ? base.extras : [...base.extras, { packed: extra, rank, request }],
    told: told.length === 0 ? base.told : [...base.told, ...told],
    is_of_span: base.is_of_span || operation.told_by !== undefined,
  };
}

function toldBy({ payloads }: RunOperation, request: number): ToldSide[] {
  return (['inputs', 'outputs'] as const).flatMap((side) => {
    const packed = payloads[side];
    return packed === undefined ? [] : [{ side, request, packed }];
  });
}
