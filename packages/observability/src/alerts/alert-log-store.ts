import type { Queryable, Transaction } from '@roadstead/postgres';
import { instantText } from '../records/run-store.ts';
import type { RowKey } from '../values/keys.ts';
import type { AlertLogRow, Delivery } from './alert-row.ts';

/** The log of alerts: changes of their states, and tests. */

const columns = `id, kind, from_state, to_state, value, notified, deliveries, ${instantText('at')} as at`;

export async function insertEntry(
  tx: Transaction,
  { workspace_id, id: alert_id }: RowKey,
  entry: AlertLogRow,
): Promise<AlertLogRow> {
  return tx.one<AlertLogRow>(
    `insert into traces.alert_log (workspace_id, alert_id, id, at, kind, from_state, to_state, value, notified, deliveries)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text::jsonb) returning ${columns}`,
    [
      workspace_id,
      alert_id,
      entry.id,
      entry.at,
      entry.kind,
      entry.from_state,
      entry.to_state,
      entry.value,
      entry.notified,
      JSON.stringify(entry.deliveries),
    ],
  );
}

/** The newest first. */
export async function listEntries(
  db: Queryable,
  { workspace_id, id }: RowKey,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<AlertLogRow[]> {
  return db.query<AlertLogRow>(
    `select ${columns} from traces.alert_log
     where workspace_id = $1 and alert_id = $2 and ($3::uuid is null or id < $3) order by id desc limit $4`,
    [workspace_id, id, after ?? null, limit],
  );
}

export interface EntryAddress extends RowKey {
  readonly entry_id: string;
  readonly to: string;
}

/** Records what came of a message; nothing where the alert is gone. */
export async function recordDelivery(
  tx: Transaction,
  { workspace_id, id, entry_id, to }: EntryAddress,
  delivery: Delivery,
): Promise<void> {
  await tx.run(
    `update traces.alert_log set deliveries = deliveries || jsonb_build_object($4::text, $5::text::jsonb)
     where workspace_id = $1 and alert_id = $2 and id = $3`,
    [workspace_id, id, entry_id, to, JSON.stringify(delivery)],
  );
}

export async function forgetOldEntries(db: Queryable, before: string): Promise<void> {
  await db.run('delete from traces.alert_log where at < $1', [before]);
}
