import type { Migration } from '@roadstead/postgres';

export const imageRegistry: Migration = {
  id: 42,
  name: 'a registry of images',
  sql: `
    -- A layer or a configuration in a repository of a deployment; its bytes lie in blobs, once for all that have them.
    create table image_blobs (
      deployment_id uuid not null references deployments on delete cascade,
      workspace_id text not null,
      image text not null,
      -- As its clients name it: by SHA-256 or SHA-512.
      digest text not null,
      stored_digest text not null,
      size bigint not null,
      -- When it was pushed, or asked for by a push, last.
      used_at timestamptz not null default now(),
      primary key (deployment_id, image, digest)
    );
    create index image_blobs_by_bytes on image_blobs (stored_digest);
    create index image_blobs_by_workspace on image_blobs (workspace_id, digest);

    create table image_manifests (
      deployment_id uuid not null references deployments on delete cascade,
      workspace_id text not null,
      image text not null,
      digest text not null,
      media_type text not null,
      body bytea not null,
      size bigint not null,
      -- What it refers to as its subject, and what lists of that say of it.
      subject text,
      artifact_type text,
      annotations text,
      used_at timestamptz not null default now(),
      primary key (deployment_id, image, digest)
    );
    create index image_manifests_by_workspace on image_manifests (workspace_id);
    create index image_manifests_by_subject on image_manifests (deployment_id, image, subject)
      where subject is not null;

    -- What a manifest consists of: blobs, or other manifests.
    create table image_parts (
      deployment_id uuid not null,
      image text not null,
      manifest_digest text not null,
      digest text not null,
      primary key (deployment_id, image, manifest_digest, digest),
      foreign key (deployment_id, image, manifest_digest) references image_manifests on delete cascade
    );
    create index image_parts_by_digest on image_parts (deployment_id, image, digest);

    create table image_tags (
      deployment_id uuid not null,
      image text not null,
      tag text collate "C" not null,
      digest text not null,
      primary key (deployment_id, image, tag),
      foreign key (deployment_id, image, digest) references image_manifests on delete cascade
    );
    create index image_tags_by_digest on image_tags (deployment_id, image, digest);

    create table image_uploads (
      id uuid primary key,
      deployment_id uuid not null references deployments on delete cascade,
      workspace_id text not null,
      image text not null,
      -- What has come so far.
      size bigint not null default 0,
      used_at timestamptz not null default now()
    );
    create index image_uploads_of_deployment on image_uploads (deployment_id);
    create index image_uploads_by_workspace on image_uploads (workspace_id);

    -- A piece of an upload: a blob of its own until the upload ends.
    create table image_upload_pieces (
      upload_id uuid not null references image_uploads on delete cascade,
      first bigint not null,
      digest text not null,
      size bigint not null,
      primary key (upload_id, first)
    );
    create index image_upload_pieces_by_bytes on image_upload_pieces (digest);
  `,
};
