import type { Event } from '@roadstead/contracts/control-plane';
import type { Queryable, Transaction } from '@roadstead/kit';

/** Who acts when a loop does. */
export const SERVICE_ACTOR = 'service:control-plane';

export interface NewEvent {
  readonly workspace_id: string;
  /** Dotted, noun first: `revision.status`. */
  readonly kind: string;
  readonly deployment_id: string;
  readonly revision_id?: string | null;
  readonly actor: string;
  readonly from?: string | null;
  readonly to?: string | null;
  /** Never a secret, nor anything that a user's code wrote except the masked sentence of a failure. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Runs in the transaction that makes the change which the event reports. */
export async function insertEvent(tx: Transaction, event: NewEvent): Promise<void> {
  await tx.run(
    `insert into events (workspace_id, kind, deployment_id, revision_id, actor, from_status, to_status, detail)
     values ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb)`,
    [
      event.workspace_id,
      event.kind,
      event.deployment_id,
      event.revision_id ?? null,
      event.actor,
      event.from ?? null,
      event.to ?? null,
      JSON.stringify(event.detail ?? {}),
    ],
  );
}

/** Newest first, those before the id `before`. */
export async function listEvents(
  db: Queryable,
  workspace_id: string,
  page: {
    readonly deployment_id: string | undefined;
    readonly before: number | undefined;
    readonly limit: number;
  },
): Promise<Event[]> {
  return db.query<Event>(
    `select id::text, at, kind, deployment_id, revision_id, actor, from_status as "from", to_status as "to", detail
     from events
     where workspace_id = $1 and ($2::uuid is null or deployment_id = $2) and ($3::bigint is null or id < $3)
     order by events.id desc limit $4`,
    [workspace_id, page.deployment_id ?? null, page.before ?? null, page.limit],
  );
}
