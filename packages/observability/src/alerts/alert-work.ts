import { randomUUID } from 'node:crypto';
import { type Clock, Problem, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { RunSearching } from '../queries/run-search-work.ts';
import { seriesRequestOf } from '../series/series-rules.ts';
import { querySeries } from '../series/series-work.ts';
import type { RowKey } from '../values/keys.ts';
import { addEntry, type NoticeContext } from './alert-notice-work.ts';
import type { AlertLogRow, AlertRow } from './alert-row.ts';
import { intervalOf, nextDue, partsOf, planEvaluation, valueOf } from './alert-rules.ts';
import { claimAlert, lockAlert, lockClaimed, recordEvaluation } from './alert-store.ts';

/** An alert is measured under a claim; what follows from it is recorded in one transaction, or not at all. */

export interface AlertContext extends NoticeContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly searching: RunSearching;
}

/** Longer than a measurement takes, so that an expired claim belongs to a process that died. */
const CLAIM_MS = 60_000;
/** An alert that can't be measured is tried less often. */
const PATIENCE = 5;
/** Wider than any day that a window cuts: buckets are of no interest here. */
const BUCKET_S = 43_200;

const textOf = (at_ms: number) => new Date(at_ms).toISOString();

export async function evaluateAlert(context: AlertContext, key: RowKey): Promise<void> {
  const { db, clock } = context;
  const claim = randomUUID();
  const began_ms = clock.now();
  const until = textOf(began_ms + CLAIM_MS);
  const alert = await claimAlert(db, { ...key, claim }, { now: textOf(began_ms), until });
  if (alert === undefined) return;
  const measured = await measure(context, alert, began_ms);
  const now = textOf(began_ms);
  const messages = await db.transaction(async (tx) => {
    const present = await lockClaimed(tx, { ...key, claim });
    if (present === undefined) return [];
    if (measured.kind === 'problem') {
      const due_at = textOf(began_ms + PATIENCE * intervalOf(present.definition) * 1000);
      const { value, state, condition, streak, told } = present;
      const standing = { state, condition, streak, told };
      await recordEvaluation(tx, key, { standing, value, problem: measured.sentence, now, due_at });
      return [];
    }
    const { value } = measured;
    const { standing, transition } = planEvaluation(present, { value, now_ms: began_ms });
    const due_at = textOf(nextDue(present, began_ms));
    await recordEvaluation(tx, key, { standing, value, problem: null, now, due_at });
    if (transition === undefined) return [];
    const { from, to, notified } = transition;
    const notice = {
      id: uuidv7(),
      at: now,
      kind: 'transition',
      from_state: from,
      to_state: to,
      value,
    } as const;
    return (await addEntry(tx, context, { alert: present, notice, notified })).messages;
  });
  for (const message of messages) context.outbox.wake(message);
}

type Measurement =
  | { readonly kind: 'value'; readonly value: number | null }
  | { readonly kind: 'problem'; readonly sentence: string };

async function measure(
  { searching }: AlertContext,
  { workspace_id, definition }: AlertRow,
  now_ms: number,
): Promise<Measurement> {
  const { project_ids, runs, filter, window_s, feedback_key } = definition;
  try {
    const request = seriesRequestOf({
      project_ids: project_ids === null || project_ids.length === 0 ? undefined : project_ids,
      runs,
      filter,
      start_time: textOf(now_ms - window_s * 1000),
      end_time: textOf(now_ms),
      bucket_s: BUCKET_S,
      select: partsOf(definition),
      feedback_keys: feedback_key === null ? undefined : [feedback_key],
      compare: false,
    });
    const { series } = await querySeries(searching, { workspace_id, request, now_ms });
    return { kind: 'value', value: valueOf(series[0]?.total, definition) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { kind: 'problem', sentence: error.sentence };
  }
}

/** Sends a test to all channels. @throws Problem `conflict` where the alert has none. */
export async function testAlert(context: AlertContext, key: RowKey): Promise<AlertLogRow> {
  const { db, clock } = context;
  const { entry, messages } = await db.transaction(async (tx) => {
    const alert = await lockAlert(tx, key);
    const { state, value, webhooks, definition } = alert;
    if (webhooks.length + definition.mail_to.length === 0)
      throw new Problem('conflict', 'The alert has neither "webhooks" nor "mail_to" to send a test to.');
    const at = textOf(clock.now());
    const notice = { id: uuidv7(), at, kind: 'test', from_state: state, to_state: state, value } as const;
    return addEntry(tx, context, { alert, notice, notified: true });
  });
  for (const message of messages) context.outbox.wake(message);
  return entry;
}
