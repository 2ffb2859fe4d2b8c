import type { Queryable, Transaction } from '@roadstead/postgres';

/**
 * The room of each workspace's images, as one number that each change adds to, in the same transaction and as its last statement: nobody
 * waits for a transaction that itself waits for something.
 */

/** Room that a request keeps while its bytes come. */
export interface Reservation {
  readonly id: string;
  readonly workspace_id: string;
  /** The upload that they are for. */
  readonly upload_id: string | undefined;
}

/** A reservation that was not renewed for so long is of a process that was killed. */
const ABANDONED = `interval '1 hour'`;

/** Keeps more room for a request, in one statement; false where there is not so much left. */
export async function growReservation(
  db: Queryable,
  { id, workspace_id, upload_id }: Reservation,
  { bytes, max_bytes }: { readonly bytes: number; readonly max_bytes: number },
): Promise<boolean> {
  const grown = await db.run(
    `with grown as (
       insert into image_rooms as room (workspace_id, bytes) select $2, $4::bigint where $4::bigint <= $5::bigint
       on conflict (workspace_id) do update set bytes = room.bytes + excluded.bytes
         where room.bytes + excluded.bytes <= $5::bigint
       returning workspace_id)
     insert into image_reservations as kept (id, workspace_id, upload_id, bytes)
     select $1, workspace_id, $3, $4::bigint from grown
     on conflict (id) do update set bytes = kept.bytes + excluded.bytes, renewed_at = now()`,
    [id, workspace_id, upload_id ?? null, bytes, max_bytes],
  );
  return grown === 1;
}

export async function renewReservation(db: Queryable, { id }: Pick<Reservation, 'id'>): Promise<void> {
  await db.run('update image_reservations set renewed_at = now() where id = $1', [id]);
}

/** Counts a blob for a workspace; answers what it takes that did not count before. */
export async function countBlob(
  tx: Transaction,
  {
    workspace_id,
    digest,
    bytes,
  }: { readonly workspace_id: string; readonly digest: string; readonly bytes: number },
): Promise<number> {
  const { is_new } = await tx.one<{ is_new: boolean }>(
    `insert into image_room_blobs (workspace_id, digest, bytes) values ($1, $2, $3)
     on conflict (workspace_id, digest) do update set bytes = excluded.bytes returning xmax = 0 as is_new`,
    [workspace_id, digest, bytes],
  );
  return is_new ? bytes : 0;
}

/** Ends a reservation: what was taken counts in its place. False where it was given up meanwhile and there is no room left. */
export async function settleReservation(
  tx: Transaction,
  { id, workspace_id }: Reservation,
  { taken, max_bytes }: { readonly taken: number; readonly max_bytes: number },
): Promise<boolean> {
  const freed = await tx.maybe<{ bytes: number }>(
    'delete from image_reservations where id = $1 returning bytes',
    [id],
  );
  const change = taken - (freed?.bytes ?? 0);
  if (change === 0) return true;
  const settled = await tx.run(
    `insert into image_rooms as room (workspace_id, bytes) select $1, $2::bigint where $2::bigint <= $3::bigint
     on conflict (workspace_id) do update set bytes = room.bytes + excluded.bytes
       where excluded.bytes <= 0 or room.bytes + excluded.bytes <= $3::bigint`,
    [workspace_id, change, max_bytes],
  );
  return settled === 1;
}

export async function listRooms(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ workspace_id: string }>(
    `select workspace_id from image_rooms union select workspace_id from image_blobs order by workspace_id`,
  );
  return rows.map(({ workspace_id }) => workspace_id);
}

const ownName = (digest: string) => `(exists (
    select from image_blobs i where i.workspace_id = $1 and i.stored_digest = ${digest})
  or exists (select from image_upload_pieces p join image_uploads u on u.id = p.upload_id
    where u.workspace_id = $1 and p.digest = ${digest}))`;
const othersName = (digest: string) => `(exists (
    select from image_blobs i where i.workspace_id <> $1 and i.stored_digest = ${digest})
  or exists (select from image_upload_pieces p join image_uploads u on u.id = p.upload_id
    where u.workspace_id <> $1 and p.digest = ${digest}))`;

/**
 * Counts the room of a workspace anew: without blobs whose bytes are gone, or are there for others alone, and without reservations of
 * processes that were killed. What a request holds just now is left to the next time.
 */
export async function recountRoom(tx: Transaction, workspace_id: string): Promise<void> {
  await tx.run('insert into image_rooms (workspace_id, bytes) values ($1, 0) on conflict do nothing', [
    workspace_id,
  ]);
  await tx.run('select from image_rooms where workspace_id = $1 for update', [workspace_id]);
  await tx.run(
    `delete from image_reservations where id in (
       select id from image_reservations where workspace_id = $1 and renewed_at < now() - ${ABANDONED}
       for update skip locked)`,
    [workspace_id],
  );
  await tx.run(
    `delete from image_room_blobs where workspace_id = $1 and digest in (
       select c.digest from image_room_blobs c
       where c.workspace_id = $1 and not ${ownName('c.digest')}
         and (${othersName('c.digest')} or not exists (select from stored_blobs b where b.digest = c.digest))
       for update skip locked)`,
    [workspace_id],
  );
  // One that a push named while the statement above looked.
  await tx.run(
    `insert into image_room_blobs (workspace_id, digest, bytes)
     select $1, digest, (max(size) + 4095) / 4096 * 4096 from (
       select stored_digest as digest, size from image_blobs where workspace_id = $1
       union all
       select p.digest, p.size from image_upload_pieces p join image_uploads u on u.id = p.upload_id
       where u.workspace_id = $1) named
     group by digest on conflict do nothing`,
    [workspace_id],
  );
  await tx.run(
    `update image_rooms set bytes = (select coalesce(sum(bytes), 0) from image_room_blobs where workspace_id = $1)
       + (select coalesce(sum((size + 4095) / 4096 * 4096), 0) from image_manifests where workspace_id = $1)
       + (select coalesce(sum(bytes), 0) from image_reservations where workspace_id = $1)
     where workspace_id = $1`,
    [workspace_id],
  );
  await tx.run('delete from image_rooms where workspace_id = $1 and bytes = 0', [workspace_id]);
}
