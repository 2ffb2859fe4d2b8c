import type { Event } from '@roadstead/contracts/control-plane';
import { type UnderLock, nowLocked, type Queryable, type Transaction } from '@roadstead/postgres';
import type { EventFilter } from './event-rules.ts';

/** The actor of what a loop does. */
export const SERVICE_ACTOR = 'service:control-plane';

export interface NewEvent {
  readonly workspace_id: string;
  /** Dotted, noun first: `revision.status`. */
  readonly kind: string;
  readonly deployment_id?: string | null;
  readonly revision_id?: string | null;
  readonly actor: string;
  readonly from?: string | null;
  readonly to?: string | null;
  /** Never a secret, and nothing that a user's code wrote except the masked sentence of a failure. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Runs in the transaction that makes the change which the event reports. It is published after the commit. */
export async function insertEvent(tx: Transaction, event: NewEvent): Promise<void> {
  await tx.run(
    `insert into events (workspace_id, kind, deployment_id, revision_id, actor, from_status, to_status, detail)
     values ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb)`,
    [
      event.workspace_id,
      event.kind,
      event.deployment_id ?? null,
      event.revision_id ?? null,
      event.actor,
      event.from ?? null,
      event.to ?? null,
      JSON.stringify(event.detail ?? {}),
    ],
  );
}

/** An event with its number and its workspace. */
export interface PublishedEvent extends Event {
  readonly workspace_id: string;
}

const columns = `events.seq::text as id, at, kind, deployment_id, revision_id, actor, from_status as "from", to_status as "to",
  detail`;

export async function hasUnpublished(db: Queryable): Promise<boolean> {
  return (await db.maybe('select id from events where seq is null limit 1')) !== undefined;
}

/** Until the commit nobody else publishes. */
export async function lockPublishing(tx: Transaction): Promise<UnderLock<'publishing'>> {
  await tx.run(`select pg_advisory_xact_lock(hashtextextended('roadstead.control.events', 0))`);
  return nowLocked(tx);
}

/** Numbers some of the committed events that have none yet, in the order in which they were written. */
export async function publishSome(tx: UnderLock<'publishing'>, limit: number): Promise<PublishedEvent[]> {
  const published = await tx.query<PublishedEvent>(
    `update events set seq = numbered.seq from (
       select id, nextval('event_seq') as seq from (
         select id from events where seq is null order by id limit $1) waiting
     ) numbered
     where events.id = numbered.id returning ${columns}, workspace_id`,
    [limit],
  );
  return published.toSorted((a, b) => Number(a.id) - Number(b.id));
}

/** The number of the last event that was published. */
export async function readHead(db: Queryable): Promise<number> {
  return (await db.one<{ head: number }>('select coalesce(max(seq), 0) as head from events')).head;
}

/** Events of all workspaces, after a number, in order. */
export async function listPublished(
  db: Queryable,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<PublishedEvent[]> {
  return db.query<PublishedEvent>(
    `select ${columns}, workspace_id from events where seq > $1 order by seq limit $2`,
    [after, limit],
  );
}

export interface EventPage extends EventFilter {
  readonly order: 'asc' | 'desc';
  /** The number beyond which the page begins, in the order asked for. */
  readonly beyond: number | undefined;
  readonly limit: number;
}

export async function listEvents(
  db: Queryable,
  workspace_id: string,
  { order, beyond, limit, ...filter }: EventPage,
): Promise<Event[]> {
  const [compare, direction] = order === 'asc' ? ['>', 'asc'] : ['<', 'desc'];
  return db.query<Event>(
    `select ${columns} from events
     where workspace_id = $1 and seq is not null and ($2::bigint is null or seq ${compare} $2)
       and ($3::uuid is null or deployment_id = $3) and ($4::uuid is null or revision_id = $4)
       and ($5::text is null or kind = $5 or starts_with(kind, $5 || '.'))
       and ($6::timestamptz is null or at >= $6) and ($7::timestamptz is null or at < $7)
       and ($8::text is null or to_status = $8)
     order by seq ${direction} limit $9`,
    [
      workspace_id,
      beyond ?? null,
      filter.deployment_id ?? null,
      filter.revision_id ?? null,
      filter.kind ?? null,
      filter.since ?? null,
      filter.until ?? null,
      filter.to ?? null,
      limit,
    ],
  );
}
