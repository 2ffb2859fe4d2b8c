import type { Side } from '@roadstead/contracts/messages';
import { type PayloadKind, payloadKinds, type RunFields, type RunOperation } from './run-operation.ts';
import type { RunKey } from '../values/keys.ts';

/**
 * How the halves of a run become one record, whatever their order: the last value wins, but a post never overwrites
 * the value of a patch. Each field therefore has one bit: whether a patch sent it.
 */

/** The merged fields in the order of their bits; new ones are only ever appended. */
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

/** Fields with their ranks, as bit sets over `mergedFields`. */
export interface RankedFields {
  readonly fields: RunFields;
  /** The fields that a patch sent. */
  readonly patched: number;
  /** The fields that count only where nothing else has them. */
  readonly faint: number;
}

export const nothingSaid: RankedFields = { fields: {}, patched: 0, faint: 0 };

/**
 * Merges two sets of fields; associative, so that the parts of one request or one flush may be merged before they
 * meet the stored record.
 */
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

/** Whether its fields count only where nothing else has them: a span is complete only once it has ended. */
const isFaint = ({ told_by }: RunOperation): boolean => told_by === 'open_span' || told_by === 'logs';

/** Payload bytes with their bit sets over `payloadKinds`, by the same rule. */
export interface RankedPayloads extends Pick<RankedFields, 'patched' | 'faint'> {
  readonly payloads: Partial<Record<PayloadKind, Uint8Array>>;
  /** Every `extra` of the run, in the order of arrival: they are merged rather than replaced. */
  readonly extras: readonly SentExtra[];
  /** The sides of the run from open spans and log records, which rank below what is stored. */
  readonly told: readonly ToldSide[];
  /** Whether any of it came from OpenTelemetry. */
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

/** The part that one request of the flush sent. */
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

/** Everything that one flush contains about one run. */
export interface RunDraft extends RankedFields {
  readonly workspace_id: string;
  readonly run_id: string;
  readonly sent: RankedPayloads;
  /** Whether its beginning was sent; a patch alone doesn't reveal whether it has a parent. */
  readonly posted: boolean;
  /** The requests of the flush that contain part of it. */
  readonly requests: ReadonlySet<number>;
}

export interface RequestRuns {
  readonly workspace_id: string;
  readonly runs: readonly RunOperation[];
}

/** The key of a run, whose id is unique only within its workspace. */
export const keyOf = (run: RunKey): string => `${run.workspace_id}/${run.run_id}`;

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
