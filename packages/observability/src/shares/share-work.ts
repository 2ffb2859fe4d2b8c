import { isUuid, Problem, type SecretBox } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import { newToken, sealedFor, type ShareKind, type ShareSubject, tokenHash } from './share-token.ts';
import {
  deleteShare,
  deleteSharesByHash,
  findShareByHash,
  insertShare,
  listShareRows,
  type ShareRow,
  type ShareKey,
} from './share-store.ts';
import type { InWorkspace } from '../values/keys.ts';

/** Links by which anyone reads their subject, as far as the operator allows them. */
export interface SharingContext {
  readonly db: Queryable;
  readonly secret_box: SecretBox;
  /** Whether links are made and answered (`ROADSTEAD_PUBLIC_SHARING`). */
  readonly public_sharing: boolean;
}

export interface Share {
  readonly workspace_id: string;
  readonly subject: ShareSubject;
  /** Undefined where the key that sealed it is gone: the link still works, but can't be shown again. */
  readonly token: string | undefined;
  readonly created_at: string;
}

/**
 * Creates a share; a subject keeps its token until the share is removed.
 * @throws Problem `forbidden` where sharing is off.
 */
export async function createShare(
  sharing: SharingContext,
  { workspace_id, subject }: ShareKey,
): Promise<Share & { readonly token: string }> {
  requireSharing(sharing);
  const token = newToken();
  const sealed_token = sharing.secret_box.seal(token, sealedFor(workspace_id, subject));
  const wanted = { workspace_id, subject, token_hash: tokenHash(token), sealed_token };
  const share = shareOf(sharing, await insertShare(sharing.db, wanted));
  if (share.token !== undefined) return { ...share, token: share.token };
  await deleteShare(sharing.db, { workspace_id, subject });
  return createShare(sharing, { workspace_id, subject });
}

/**
 * The subject that the holder of a token may read.
 * @throws Problem `forbidden` where sharing is off, `not_found` for an unknown token.
 */
export async function readShare<Kind extends ShareKind>(
  sharing: SharingContext,
  { token, kinds }: { readonly token: string; readonly kinds: readonly Kind[] },
): Promise<Share & { readonly subject: Extract<ShareSubject, { kind: Kind }> }> {
  requireSharing(sharing);
  const row = isUuid(token) ? await findShareByHash(sharing.db, tokenHash(token)) : undefined;
  if (row === undefined || !(kinds as readonly ShareKind[]).includes(row.kind))
    throw new Problem('not_found', 'Nothing is shared under this address.');
  return shareOf(sharing, row) as Share & { subject: Extract<ShareSubject, { kind: Kind }> };
}

/** Whether the token still gives access. */
export async function isShared({ db, public_sharing }: SharingContext, token: string): Promise<boolean> {
  return public_sharing && (await findShareByHash(db, tokenHash(token))) !== undefined;
}

/** The share of a subject, whether or not links are answered at present. */
export async function findShare(
  sharing: SharingContext,
  { workspace_id, subject }: ShareKey,
): Promise<Share | undefined> {
  const { kind, subject_id } = subject;
  const shares = await listShares(sharing, { workspace_id, kind, subject_ids: [subject_id] });
  return shares.find((share) => sealedFor('', share.subject) === sealedFor('', subject));
}

/** Newest first. */
export async function listShares(
  sharing: SharingContext,
  wanted: InWorkspace & { readonly kind?: ShareKind; readonly subject_ids?: readonly string[] },
): Promise<Share[]> {
  return (await listShareRows(sharing.db, wanted)).map((row) => shareOf(sharing, row));
}

/** @returns whether it was shared. */
export async function removeShare(
  sharing: SharingContext,
  { workspace_id, subject }: ShareKey,
): Promise<boolean> {
  return (await deleteShare(sharing.db, { workspace_id, subject })) > 0;
}

/** @returns how many of them were shared. */
export async function removeSharesByToken(
  sharing: SharingContext,
  { workspace_id, tokens }: InWorkspace & { readonly tokens: readonly string[] },
): Promise<number> {
  return deleteSharesByHash(sharing.db, { workspace_id, token_hashes: tokens.map(tokenHash) });
}

function requireSharing({ public_sharing }: SharingContext): void {
  if (public_sharing) return;
  throw new Problem('forbidden', 'Sharing by link is switched off on this server.', {
    hint: 'The operator can allow it with ROADSTEAD_PUBLIC_SHARING=true.',
  });
}

function shareOf({ secret_box }: SharingContext, row: ShareRow): Share {
  const subject: ShareSubject =
    row.kind === 'thread'
      ? { kind: row.kind, subject_id: row.subject_id, thread_id: row.thread_id }
      : { kind: row.kind, subject_id: row.subject_id };
  return {
    workspace_id: row.workspace_id,
    subject,
    token: openedToken(secret_box, row.sealed_token, sealedFor(row.workspace_id, subject)),
    created_at: row.created_at,
  };
}

function openedToken(box: SecretBox, sealed: string, row: string): string | undefined {
  try {
    return box.open(sealed, row);
  } catch {
    return undefined;
  }
}
