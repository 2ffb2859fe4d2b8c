import type { Migration } from '@roadstead/postgres';

export const imageRooms: Migration = {
  id: 43,
  name: 'what images take on the disk',
  sql: `
    -- The room of a workspace's images: the sum of its blobs, its manifests, and of what is kept for bytes on their way.
    create table image_rooms (
      workspace_id text primary key,
      bytes bigint not null
    );

    -- A blob that counts, from when it came until its bytes are removed.
    create table image_room_blobs (
      workspace_id text not null,
      digest text not null,
      bytes bigint not null,
      primary key (workspace_id, digest)
    );
    create index image_room_blobs_by_digest on image_room_blobs (digest);

    -- Room that a request keeps while its bytes come.
    create table image_reservations (
      id uuid primary key,
      workspace_id text not null,
      upload_id uuid,
      bytes bigint not null,
      renewed_at timestamptz not null default now()
    );
    create index image_reservations_by_workspace on image_reservations (workspace_id);
    create index image_reservations_by_upload on image_reservations (upload_id) where upload_id is not null;

    insert into image_room_blobs (workspace_id, digest, bytes)
      select workspace_id, stored_digest, (max(size) + 4095) / 4096 * 4096 from (
        select workspace_id, stored_digest, size from image_blobs
        union all
        select u.workspace_id, p.digest, p.size from image_uploads u join image_upload_pieces p on p.upload_id = u.id
      ) each_once group by workspace_id, stored_digest;
    insert into image_rooms (workspace_id, bytes)
      select workspace_id, sum(bytes) from (
        select workspace_id, bytes from image_room_blobs
        union all
        select workspace_id, (size + 4095) / 4096 * 4096 from image_manifests
      ) counted group by workspace_id;
  `,
};
