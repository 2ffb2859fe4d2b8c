import type { UnderLock, Transaction } from '@roadstead/postgres';
import { type StoredAttachment, upsertAttachments } from '../attachments/attachment-store.ts';
import { recordBlobs } from '../attachments/blob-store.ts';
import { type OnFeedback, takeFeedback } from '../feedback/feedback-work.ts';
import { noteChanges } from '../records/change-store.ts';
import { removeWholly } from '../deletions/deletion-work.ts';
import type { Operations } from '../records/run-operation.ts';
import { weekOf } from '../partitions/week-rules.ts';
import type { PriceOf } from '../prices/price-rules.ts';
import { resolveSessions, type SessionResolver } from '../session-records/session-resolver-store.ts';
import { type FlushFacts, type FlushPlan, planFlush, type RefusedRun, losesFields } from './flush-rules.ts';
import { type FlattenedRun, flattenedAmong } from './flattened-rules.ts';
import { nestableRuns } from './nested-calls-rules.ts';
import { recountNested } from './nested-calls-work.ts';
import { withMergedExtras } from './extra-merging-work.ts';
import { type PayloadRow, upsertPayloads } from '../records/payload-store.ts';
import { needsLookup, placementsOf, sentParent, type Placement } from '../records/placement-rules.ts';
import { recountTraces } from '../records/run-removal-store.ts';
import { draftsOf, keyOf, type RunDraft } from '../records/run-merge-rules.ts';
import { type RunRow, type TracePlace, traceKeyOf } from '../records/run-row.ts';
import {
  findKnownRuns,
  inheritFromRoots,
  readRunsIn,
  removeRunsIn,
  type StoredRun,
  upsertRuns,
} from '../records/run-store.ts';
import { type LeftOut, withToldSides } from './side-merging-work.ts';
import { settleStrays } from './stray-settling-work.ts';
import { findStrays, lockStrays } from './stray-store.ts';
import type { Stray } from './stray.ts';
import { insertTraces, lockTraces, updateTraces } from '../records/trace-store.ts';
import { bytesByWorkspace } from '../usage/usage-rules.ts';
import { countBytes } from '../usage/usage-store.ts';
import type { InWorkspace } from '../values/keys.ts';

/** The operations of one request; the bytes of its attachments are blobs already. */
export interface IngestRequest extends Omit<Operations, 'attachments'> {
  readonly workspace_id: string;
  readonly attachments: readonly StoredAttachment[];
}

export interface Flush {
  readonly requests: readonly IngestRequest[];
  readonly now_ms: number;
  readonly priceOf: PriceOf;
  readonly onFeedback: OnFeedback;
}

/**
 * The outcome of a request: runs that were refused, since their traces are full, and values that did not fit into
 * their field.
 */
export interface IngestOutcome {
  readonly refused: readonly RefusedRun[];
  readonly left_out: readonly LeftOut[];
  /** Runs too deep to be placed below their parents. */
  readonly flattened: readonly string[];
}

/**
 * Writes the operations of several requests in one transaction: all of them or none. Later values of a request
 * override earlier ones; repeating it changes nothing.
 * @throws TraceRaceError when it is to be tried again.
 */
export async function writeFlush(tx: Transaction, flush: Flush): Promise<IngestOutcome[]> {
  const { requests, now_ms, onFeedback } = flush;
  const now = new Date(now_ms).toISOString();
  const { plan, left_out, flattened } = await writeRuns(tx, flush);
  await takeFeedback(tx, {
    feedback: withWorkspace(requests, (request) => request.feedback),
    now,
    onFeedback,
  });
  const attachments = withWorkspace(requests, (request) => request.attachments);
  await recordBlobs(tx, attachments);
  await upsertAttachments(tx, { attachments, received_at: now });
  const files = attachments.map(({ workspace_id, size: bytes }) => ({ workspace_id, bytes }));
  const bytes_sent = bytesByWorkspace([...(plan?.payloads ?? []).map(bytesSentBy), ...files]);
  await countBytes(tx, { bytes_sent, now });
  return requests.map((_, index) => ({
    refused: plan?.refused.get(index) ?? [],
    left_out: left_out.filter(({ request }) => request === index),
    flattened: flattened.filter(({ requests }) => requests.has(index)).map(({ run_id }) => run_id),
  }));
}

const bytesSentBy = ({ workspace_id, sent: { payloads, told } }: PayloadRow) => ({
  workspace_id,
  bytes: [...Object.values(payloads), ...told.map(({ packed }) => packed)].reduce(
    (sum, packed) => sum + packed.length,
    0,
  ),
});

function withWorkspace<T extends object>(
  requests: readonly IngestRequest[],
  pick: (request: IngestRequest) => readonly T[],
): (T & InWorkspace)[] {
  return requests.flatMap((request) =>
    pick(request).map((one) => ({ ...one, workspace_id: request.workspace_id })),
  );
}

interface WrittenRuns {
  readonly plan: FlushPlan | undefined;
  readonly left_out: readonly LeftOut[];
  readonly flattened: readonly FlattenedRun[];
}

async function writeRuns(tx: Transaction, { requests, now_ms, priceOf }: Flush): Promise<WrittenRuns> {
  const sent = draftsOf(requests);
  if (sent.size === 0) return { plan: undefined, left_out: [], flattened: [] };
  const strayTx = await lockStrays(tx, workspacesOf(sent));
  const now = new Date(now_ms).toISOString();
  const sessions = await sessionsOf(tx, sent, now);
  const drafts = withSessionIds(sent, sessions);
  const strays = await findStrays(strayTx, [...drafts.values()]);
  const known = await findKnownRuns(tx, referredTo(drafts));
  const placements = placementsOf({ drafts, known, strays });
  const { places, locked } = await placesOf(tx, { drafts, placements, sessions, strays, now_ms });
  const stored = await storedOf(locked, { drafts, placements, places });
  const default_session = (workspace_id: string) => sessions.default(workspace_id).id;
  const facts: FlushFacts = {
    drafts,
    placements,
    places,
    stored,
    known,
    defaultSession: default_session,
    priceOf,
    now: `${now.slice(0, -1)}000+00:00`,
  };
  const plan = planFlush(facts);
  const left_out = await writePlan(locked, { plan, stored, now });
  await recountNested(locked, nestableRuns(plan.rows, { stored, places }));
  const moved = await settleStrays(strayTx, { facts, rows: plan.rows, strays, now_ms });
  return { plan, left_out, flattened: flattenedAmong([...plan.rows, ...moved], { drafts, requests }) };
}

function workspacesOf(sent: ReadonlyMap<string, RunDraft>) {
  const drafts = Map.groupBy(sent.values(), (draft) => draft.workspace_id);
  return [...drafts].map(([workspace_id, own_drafts]) => ({
    workspace_id,
    alone: own_drafts.some(needsLookup),
  }));
}

async function writePlan(
  tx: UnderLock<'traces'>,
  { plan, stored, now }: { plan: FlushPlan; stored: ReadonlyMap<string, RunRow>; now: string },
): Promise<readonly LeftOut[]> {
  await insertTraces(tx, { traces: plan.changes.filter((change) => change.is_new), received_at: now });
  await updateTraces(
    tx,
    plan.changes.filter((change) => !change.is_new),
  );
  const isStored = (row: PayloadRow) => stored.has(keyOf(row));
  const told = await withToldSides(tx, { rows: plan.payloads, isStored });
  const rows = plan.rows.map((row) => ({ ...row, ...told.previews.get(keyOf(row)) }));
  await upsertRuns(tx, { rows, received_at: now });
  await recountTraces(
    tx,
    plan.rows.filter((row) => losesFields(stored.get(keyOf(row)), row)),
  );
  const left_out = [...told.left_out];
  for await (const part of withMergedExtras(tx, { rows: told.rows, isStored, left_out }))
    await upsertPayloads(tx, part);
  await inheritFromRoots(tx, plan.inherit);
  await noteChanges(tx, plan.rows);
  return left_out;
}

async function sessionsOf(
  tx: Transaction,
  drafts: ReadonlyMap<string, RunDraft>,
  now: string,
): Promise<SessionResolver> {
  const wanted = [...drafts.values()].map((draft) => ({
    workspace_id: draft.workspace_id,
    ref: draft.fields.session ?? {},
  }));
  return resolveSessions(tx, { wanted, now });
}

/** A project whose id is unknown, and that has no name here, counts as absent. */
function withSessionIds(
  drafts: ReadonlyMap<string, RunDraft>,
  sessions: SessionResolver,
): Map<string, RunDraft> {
  return new Map(
    [...drafts].map(([key, draft]) => {
      const { session, ...others } = draft.fields;
      if (session === undefined) return [key, draft] as const;
      const found = sessions.resolve(draft.workspace_id, session);
      const fields = found === undefined ? others : { ...others, session: { id: found.id } };
      return [key, { ...draft, fields }] as const;
    }),
  );
}

/** The drafts that don't name their place, and their parents. */
function referredTo(drafts: ReadonlyMap<string, RunDraft>) {
  return [...drafts.values()].filter(needsLookup).flatMap((draft) => {
    const { workspace_id, run_id } = draft;
    const parent = sentParent(draft.fields);
    return parent === undefined ? [{ workspace_id, run_id }] : [draft, { workspace_id, run_id: parent }];
  });
}

interface DraftPlacements {
  readonly drafts: ReadonlyMap<string, RunDraft>;
  readonly placements: ReadonlyMap<string, Placement>;
}

/** The traces written to, locked; those that are new begin in the current week, in the tier of their project. */
async function placesOf(
  tx: Transaction,
  placed: DraftPlacements & {
    readonly sessions: SessionResolver;
    readonly strays: ReadonlyMap<string, Stray>;
    readonly now_ms: number;
  },
): ReturnType<typeof lockTraces> {
  const wanted = new Map<string, { workspace_id: string; trace_id: string; drafts: RunDraft[] }>();
  for (const [key, draft] of placed.drafts) {
    const trace = {
      workspace_id: draft.workspace_id,
      trace_id: placed.placements.get(key)?.trace_id ?? draft.run_id,
    };
    const seen = wanted.get(traceKeyOf(trace)) ?? { ...trace, drafts: [] };
    seen.drafts.push(draft);
    wanted.set(traceKeyOf(trace), seen);
  }
  const { places, locked } = await lockTraces(tx, [...wanted.values()]);
  await removeDeleted(locked, places);
  for (const [key, { workspace_id, trace_id, drafts }] of wanted) {
    if (places.has(key)) continue;
    const root = drafts.find((draft) => draft.run_id === trace_id);
    const naming = [root, ...drafts].find((draft) => draft?.fields.session !== undefined);
    const session = placed.sessions.resolve(workspace_id, naming?.fields.session ?? {});
    const { tier } = session ?? placed.sessions.default(workspace_id);
    const week = weekOf(placed.now_ms);
    places.set(key, {
      workspace_id,
      trace_id,
      tier,
      week,
      session_id: null,
      thread_id: null,
      run_count: 0,
      is_new: true,
    });
  }
  return { places, locked };
}

/** Removes deleted traces that are written to again, so that they begin afresh. */
async function removeDeleted(tx: UnderLock<'traces'>, places: Map<string, TracePlace>): Promise<void> {
  const deleted = [...places.values()].flatMap(({ deletion_id, ...place }) =>
    deletion_id == null ? [] : [{ ...place, deletion_id }],
  );
  if (deleted.length > 0) await removeWholly(tx, deleted);
  for (const place of deleted) places.delete(traceKeyOf(place));
}

/** The stored rows that the flush completes. Leftovers of a deleted project are removed first. */
async function storedOf(
  tx: UnderLock<'traces'>,
  placed: DraftPlacements & { readonly places: Map<string, TracePlace> },
): Promise<Map<string, RunRow>> {
  const partitions = new Map<string, { place: TracePlace; run_ids: string[] }>();
  for (const [key, draft] of placed.drafts) {
    const trace_id = placed.placements.get(key)?.trace_id ?? draft.run_id;
    const place = placed.places.get(traceKeyOf({ workspace_id: draft.workspace_id, trace_id }));
    if (place === undefined || place.is_new) continue;
    const name = `${place.tier}/${place.week}`;
    const seen = partitions.get(name) ?? { place, run_ids: [] };
    seen.run_ids.push(draft.run_id);
    partitions.set(name, seen);
  }
  const stored = new Map<string, StoredRun>();
  for (const { place, run_ids } of partitions.values()) {
    const rows = await readRunsIn(tx, { partition: place, run_ids });
    const gone = [...rows.values()].filter((row) => row.gone && placed.drafts.has(keyOf(row)));
    if (gone.length > 0) {
      await removeRunsIn(tx, { partition: place, runs: gone });
      await recountTraces(tx, gone);
      for (const [key, left] of (await lockTraces(tx, gone)).places) placed.places.set(key, left);
    }
    for (const [key, row] of rows) if (!row.gone) stored.set(key, row);
  }
  return stored;
}
