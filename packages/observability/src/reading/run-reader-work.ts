import type { Queryable } from '@roadstead/postgres';
import type { PayloadKind, Payloads } from '../records/run-operation.ts';
import type { AttachmentAddresses } from '../attachments/attachment-addresses.ts';
import { readAttachments } from '../attachments/attachment-store.ts';
import { readFeedbackStats } from '../feedback/feedback-stats-store.ts';
import { messagesOf } from './message-work.ts';
import { listShares, type SharingContext } from '../shares/share-work.ts';
import type { StoredPayload } from '../records/payload-packing.ts';
import { readPayloads } from '../records/payload-store.ts';
import type { FoundRun } from '../queries/run-query-store.ts';
import type { RunSearching } from '../queries/run-search-work.ts';
import type { RelatedFact, RunRecord, RunRelated, RecordSelection } from './run-record.ts';
import { findRunsInDatasets, readReferenceDatasets, readTrees } from './run-related-store.ts';
import { readTraceFacts } from '../records/trace-store.ts';

/** The context for reading runs that were found. */
export interface RecordReader {
  readonly db: Queryable;
  readonly sharing: SharingContext;
  readonly addresses: AttachmentAddresses;
}

/** The context for finding and reading runs. */
export interface RunReader extends RecordReader, RunSearching {
  readonly db: RunSearching['db'];
}

/** Adds the selected data to hot rows of one workspace, and to roots the totals of their traces. */
export async function readRecords(
  reader: RecordReader,
  rows: readonly FoundRun[],
  wanted: RecordSelection,
): Promise<RunRecord[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const { workspace_id } = first;
  const of_traces = wanted.facts.has('trace') ? rows : rows.filter((row) => row.is_root);
  const trace_ids = [...new Set(of_traces.map((row) => row.trace_id))];
  const [traces, payloads, relatedOf] = await Promise.all([
    readTraceFacts(reader.db, { workspace_id, trace_ids }),
    payloadsOf(reader.db, rows, wanted.payloads),
    readRelated(reader, rows, wanted.facts),
  ]);
  const records = rows.map((row) => ({
    row,
    payloads: payloads.get(row.run_id) ?? {},
    trace: traces.get(row.trace_id),
    related: relatedOf(row),
  }));
  return wanted.messages === true ? withMessages(records) : records;
}

async function withMessages(records: readonly RunRecord[]): Promise<RunRecord[]> {
  const told: RunRecord[] = [];
  for (const record of records) told.push({ ...record, messages: await messagesOf(record.payloads) });
  return told;
}

type RelatedLookup = (row: FoundRun) => RunRelated;
type ReadRelated = (
  reader: RecordReader,
  rows: readonly FoundRun[],
  workspace_id: string,
) => Promise<RelatedLookup>;

const relatedFacts: Readonly<Record<Exclude<RelatedFact, 'trace'>, ReadRelated>> = {
  tree: async ({ db }, rows) => {
    const trees = await readTrees(db, rows);
    return (row) => ({ tree: trees.get(row.run_id) });
  },
  share: async ({ sharing }, rows, workspace_id) => {
    if (!sharing.public_sharing) return () => ({});
    const subject_ids = [...new Set(rows.map((row) => row.trace_id))];
    const shares = await listShares(sharing, { workspace_id, kind: 'run', subject_ids });
    const tokens = new Map(shares.map((share) => [share.subject.subject_id, share.token]));
    return (row) => ({ share_token: tokens.get(row.trace_id) });
  },
  attachments: async ({ db, addresses }, rows, workspace_id) => {
    const run_ids = rows.map((row) => row.run_id);
    const found = await readAttachments(db, { workspace_id, run_ids });
    return (row) => ({
      attachments: found.get(row.run_id)?.map((attachment) => ({
        name: attachment.name,
        content_type: attachment.content_type,
        url: addresses.attachmentUrl(attachment),
      })),
    });
  },
  feedback: async ({ db }, rows, workspace_id) => {
    const run_ids = rows.map((row) => row.run_id);
    const found = await readFeedbackStats(db, { workspace_id, run_ids });
    return (row) => ({ feedback_stats: found.get(row.run_id) });
  },
  dataset: async ({ db }, rows, workspace_id) => {
    const found = await findRunsInDatasets(db, { workspace_id, run_ids: rows.map((row) => row.run_id) });
    return (row) => ({ is_in_dataset: found.has(row.run_id) });
  },
  experiment: async ({ db }, rows, workspace_id) => {
    const of_experiments = rows.filter((row) => row.reference_example_id !== null);
    const session_ids = [...new Set(of_experiments.map((row) => row.session_id))];
    const datasets = await readReferenceDatasets(db, { workspace_id, session_ids });
    return (row) => ({ reference_dataset_id: datasets.get(row.session_id) });
  },
};

async function readRelated(
  reader: RecordReader,
  rows: readonly FoundRun[],
  facts: ReadonlySet<RelatedFact>,
): Promise<RelatedLookup> {
  const wanted = Object.entries(relatedFacts).filter(([fact]) => facts.has(fact as RelatedFact));
  const workspace_id = rows[0]?.workspace_id ?? '';
  const reads = await Promise.all(wanted.map(async ([, read]) => read(reader, rows, workspace_id)));
  return (row) => Object.assign({}, ...reads.map((relatedOf) => relatedOf(row))) as RunRelated;
}

async function payloadsOf(
  db: Queryable,
  rows: readonly FoundRun[],
  kinds: readonly PayloadKind[],
): Promise<Map<string, Payloads<StoredPayload>>> {
  const partitions = Map.groupBy(rows, (row) => `${row.tier}/${row.week}`);
  const found = new Map<string, Payloads<StoredPayload>>();
  for (const group of partitions.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const wanted = { workspace_id: first.workspace_id, run_ids: group.map((row) => row.run_id), kinds };
    for (const [run_id, payloads] of await readPayloads(db, first, wanted)) found.set(run_id, payloads);
  }
  return found;
}
