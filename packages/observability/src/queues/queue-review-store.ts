import type { Queryable, Transaction } from '@roadstead/postgres';
import type { CursorPage } from '../queries/cursor-rules.ts';
import { instantText } from '../records/run-store.ts';
import { itemColumns } from './queue-item-store.ts';
import type { ItemRow, QueueId, Section, StagedItem, QueueViewer } from './queue-row.ts';
import type { OffsetPage } from '../values/pages.ts';

/**
 * The progress of items. An item is completed when as many reviewers have finished it as its queue requires; until
 * then it is hidden from reviewers who have finished it, and from those before whom enough others have reserved it.
 * Where only assigned reviewers count, it is completed when all of them have finished it, and hidden from others.
 */

/** The items of workspace $1 and queue $2, as reviewer $3 sees them at the instant $4. */
const staged = `
  select i.*, r.completed_by, r.reserved_by, q.assigned_reviewers as assigned_to,
    coalesce(r.put_off_to, i.added_at) as effective_added_at, case
      when n.by_all and q.assigned_reviewers <@ r.completed_by
        or not n.by_all and cardinality(r.completed_by) >= n.needed then 'completed'
      when $3::uuid = any (r.completed_by) or n.by_all and $3::uuid <> all (q.assigned_reviewers)
        or not n.by_all and cardinality(r.completed_by) + r.ahead >= n.needed then 'needs_others_review'
      else 'needs_my_review'
    end as section
  from traces.annotation_queues q
  join traces.annotation_queue_items i on i.queue_id = q.id and i.workspace_id = q.workspace_id
  cross join lateral (
    select q.reviewer_access_mode = 'assigned' and q.assigned_reviewers <> '{}' as by_all,
      coalesce(q.num_reviewers_per_item, greatest(cardinality(q.assigned_reviewers), 1)) as needed,
      $4::timestamptz - make_interval(mins => coalesce(q.reservation_minutes, 1)) as since
  ) n
  cross join lateral (
    select coalesce(array_agg(v.reviewer_id order by v.updated_at) filter (where v.status = 'completed'), '{}') as completed_by,
      coalesce(array_agg(v.reviewer_id order by v.reserved_at) filter (where h.holds), '{}') as reserved_by,
      count(*) filter (where h.holds and v.reviewer_id <> $3::uuid
        and v.reserved_at < coalesce(o.reserved_at, 'infinity')) as ahead,
      max(v.override_added_at) filter (where v.reviewer_id = $3::uuid) as put_off_to
    from traces.annotation_queue_reviews v
    cross join lateral (
      select v.status = 'viewed' and q.enable_reservations and v.updated_at > n.since as holds) h
    left join traces.annotation_queue_reviews o on o.item_id = i.id and o.workspace_id = i.workspace_id
      and o.reviewer_id = $3::uuid and o.status = 'viewed' and o.updated_at > n.since
    where v.item_id = i.id and v.workspace_id = i.workspace_id
  ) r
  where q.workspace_id = $1 and q.id = $2`;
const columns = `${itemColumns('i')}, i.section, i.completed_by, i.reserved_by, i.assigned_to,
  ${instantText('i.effective_added_at')} as effective_added_at`;

export interface ItemFilter extends QueueId, QueueViewer {
  readonly section?: Section | undefined;
  /** Whether the items are completed. */
  readonly is_completed?: boolean | undefined;
  readonly item_type?: string | undefined;
  readonly item_id?: string | undefined;
  /** Bounds of when their runs began. */
  readonly started_from?: string | undefined;
  readonly started_to?: string | undefined;
  /** Bounds of when they were reviewed last. */
  readonly reviewed_from?: string | undefined;
  readonly reviewed_to?: string | undefined;
}

const conditions = {
  section: (p) => `i.section = ${p}`,
  is_completed: (p) => `(i.section = 'completed') = ${p}`,
  item_type: (p) => `i.item_type = ${p}`,
  item_id: (p) => `(i.id = ${p} or coalesce(i.run_id = ${p}, false))`,
  started_from: (p) => `i.start_time >= ${p}::timestamptz`,
  started_to: (p) => `i.start_time <= ${p}::timestamptz`,
  reviewed_from: (p) => `i.last_reviewed_time >= ${p}::timestamptz`,
  reviewed_to: (p) => `i.last_reviewed_time <= ${p}::timestamptz`,
} as const satisfies Record<
  Exclude<keyof ItemFilter, keyof (QueueId & QueueViewer)>,
  (parameter: string) => string
>;

/** The items `i` that match, and the values of the statement. */
function matching(filter: ItemFilter) {
  const values: unknown[] = [filter.workspace_id, filter.queue_id, filter.reviewer_id, filter.now];
  const given = (Object.keys(conditions) as (keyof typeof conditions)[]).flatMap((name) => {
    if (filter[name] === undefined) return [];
    values.push(filter[name]);
    return [conditions[name](`$${values.length}`)];
  });
  return { from: `from (${staged}) i where ${['true', ...given].join(' and ')}`, values };
}

/** Lists items in the order in which they wait. */
export async function listItems(
  db: Queryable,
  filter: ItemFilter,
  { limit, offset }: OffsetPage,
): Promise<StagedItem[]> {
  const { from, values } = matching(filter);
  return db.query<StagedItem>(
    `select ${columns} ${from} order by i.effective_added_at, i.id limit ${limit} offset ${offset}`,
    values,
  );
}

/** A page after a cursor or before it, plus one item where more follow; the nearest first. */
export async function listItemsFrom(
  db: Queryable,
  filter: ItemFilter,
  { cursor, backward, limit }: CursorPage & { readonly backward: boolean },
): Promise<StagedItem[]> {
  const { from, values } = matching(filter);
  const order = backward ? 'desc' : 'asc';
  if (cursor !== undefined) values.push(cursor.start_time, cursor.run_id);
  const bound = `and (i.effective_added_at, i.id) ${backward ? '<' : '>'}
    ($${values.length - 1}::timestamptz, $${values.length}::uuid)`;
  return db.query<StagedItem>(
    `select ${columns} ${from} ${cursor === undefined ? '' : bound}
     order by i.effective_added_at ${order}, i.id ${order} limit ${limit + 1}`,
    values,
  );
}

export async function countItems(db: Queryable, filter: ItemFilter): Promise<number> {
  const { from, values } = matching(filter);
  return (await db.one<{ count: number }>(`select count(*) as count ${from}`, values)).count;
}

/** Counts the items of a section before an item. */
export async function countBefore(
  db: Queryable,
  filter: ItemFilter,
  item: Pick<StagedItem, 'effective_added_at' | 'id'>,
): Promise<number> {
  const { from, values } = matching(filter);
  const { count } = await db.one<{ count: number }>(
    `select count(*) as count ${from}
       and (i.effective_added_at, i.id) < ($${values.length + 1}::timestamptz, $${values.length + 2}::uuid)`,
    [...values, item.effective_added_at, item.id],
  );
  return count;
}

export interface Review {
  readonly status: 'viewed' | 'completed' | null;
  readonly override_added_at: string | null;
}

/** Writes a review of an item whose row is locked. A valid reservation keeps its place when it is renewed. */
export async function writeReview(
  tx: Transaction,
  { workspace_id, id }: Pick<ItemRow, 'workspace_id' | 'id'>,
  { reviewer_id, now, ...review }: Review & QueueViewer,
): Promise<void> {
  await tx.run(
    `insert into traces.annotation_queue_reviews as v
       (workspace_id, item_id, reviewer_id, status, override_added_at, updated_at, reserved_at)
     values ($1, $2, $3, $4, $5, $6, $6)
     on conflict (item_id, workspace_id, reviewer_id) do update set status = excluded.status,
       override_added_at = coalesce(excluded.override_added_at, v.override_added_at), updated_at = excluded.updated_at,
       reserved_at = case when v.status = 'viewed' and v.updated_at > excluded.updated_at - (
           select make_interval(mins => coalesce(q.reservation_minutes, 1)) from traces.annotation_queues q
           join traces.annotation_queue_items i on i.queue_id = q.id and i.workspace_id = q.workspace_id
           where i.id = v.item_id and i.workspace_id = v.workspace_id)
         then v.reserved_at else excluded.reserved_at end`,
    [workspace_id, id, reviewer_id, review.status, review.override_added_at, now],
  );
  if (review.status === 'completed')
    await tx.run(
      'update traces.annotation_queue_items set last_reviewed_time = $3 where workspace_id = $1 and id = $2',
      [workspace_id, id, now],
    );
}
