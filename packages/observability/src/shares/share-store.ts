import type { Queryable } from '@roadstead/postgres';
import { type ShareKind, type ShareSubject, threadOf } from './share-token.ts';
import type { InWorkspace } from '../values/keys.ts';

/** A subject that a workspace shares. */
export interface ShareKey {
  readonly workspace_id: string;
  readonly subject: ShareSubject;
}

export interface ShareRow {
  readonly workspace_id: string;
  readonly kind: ShareKind;
  readonly subject_id: string;
  readonly thread_id: string;
  readonly sealed_token: string;
  readonly created_at: string;
}

const columns = 'workspace_id, kind, subject_id, thread_id, sealed_token, created_at';
const ofSubject = 'workspace_id = $1 and kind = $2 and subject_id = $3 and thread_id = $4';
const subjectValues = (workspace_id: string, subject: ShareSubject) => [
  workspace_id,
  subject.kind,
  subject.subject_id,
  threadOf(subject),
];

/** Inserts a share, or returns the existing one. */
export async function insertShare(
  db: Queryable,
  share: InWorkspace & {
    readonly subject: ShareSubject;
    readonly token_hash: Buffer;
    readonly sealed_token: string;
  },
): Promise<ShareRow> {
  return db.one<ShareRow>(
    `insert into traces.shares (workspace_id, kind, subject_id, thread_id, token_hash, sealed_token)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (workspace_id, kind, subject_id, thread_id) do update set kind = excluded.kind
     returning ${columns}`,
    [...subjectValues(share.workspace_id, share.subject), share.token_hash, share.sealed_token],
  );
}

export async function findShareByHash(db: Queryable, token_hash: Buffer): Promise<ShareRow | undefined> {
  return db.maybe<ShareRow>(`select ${columns} from traces.shares where token_hash = $1`, [token_hash]);
}

/** Newest first. */
export async function listShareRows(
  db: Queryable,
  {
    workspace_id,
    kind,
    subject_ids,
  }: InWorkspace & {
    readonly kind?: ShareKind | undefined;
    readonly subject_ids?: readonly string[] | undefined;
  },
): Promise<ShareRow[]> {
  return db.query<ShareRow>(
    `select ${columns} from traces.shares
     where workspace_id = $1 and ($2::text is null or kind = $2)
       and ($3::uuid[] is null or subject_id = any ($3::uuid[]))
     order by created_at desc, token_hash`,
    [workspace_id, kind ?? null, subject_ids ?? null],
  );
}

export async function deleteShare(db: Queryable, { workspace_id, subject }: ShareKey): Promise<number> {
  return db.run(`delete from traces.shares where ${ofSubject}`, subjectValues(workspace_id, subject));
}

export async function deleteSharesByHash(
  db: Queryable,
  { workspace_id, token_hashes }: InWorkspace & { readonly token_hashes: readonly Buffer[] },
): Promise<number> {
  return db.run('delete from traces.shares where workspace_id = $1 and token_hash = any ($2::bytea[])', [
    workspace_id,
    token_hashes,
  ]);
}
