import type { sharedLinks } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { Problem, type SecretBox } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { listShares, removeShare, removeSharesByToken, type Share } from '../shares/share-work.ts';
import { nameRuns, nameThings } from './shared-link-store.ts';

type SharedLinkHandlers = Handlers<typeof sharedLinks>;

export interface SharedLinkOptions {
  readonly db: Database;
  readonly secret_box: SecretBox;
  readonly public_sharing: boolean;
}

export function sharedLinkHandlers(sharing: SharedLinkOptions): SharedLinkHandlers {
  return {
    listSharedLinks: async ({ workspace_id, query: { limit, offset } }) => {
      const shares = (await listShares(sharing, { workspace_id }))
        .filter(isShown)
        .slice(offset, offset + limit);
      return { entities: await named(sharing.db, workspace_id, shares) };
    },
    deleteSharedLinks: async ({ workspace_id, body }) => {
      const tokens = body.share_tokens ?? [];
      if (!body.unshare_all && tokens.length === 0)
        throw new Problem('invalid', 'Give share_tokens or unshare_all.');
      let removed = await removeSharesByToken(sharing, { workspace_id, tokens });
      if (body.unshare_all)
        for (const { subject } of await listShares(sharing, { workspace_id }))
          removed += (await removeShare(sharing, { workspace_id, subject })) ? 1 : 0;
      return { message: 'They are no longer shared.', removed };
    },
  };
}

type ShareWithToken = Share & { readonly token: string };
/** A link can't be shown once the key that sealed it is gone, though it still works. */
const isShown = (share: Share): share is ShareWithToken => share.token !== undefined;

async function named(db: Database, workspace_id: string, shares: readonly ShareWithToken[]) {
  const idsOf = (kind: Share['subject']['kind']) =>
    shares.filter(({ subject }) => subject.kind === kind).map(({ subject }) => subject.subject_id);
  const runs = await nameRuns(db, { workspace_id, run_ids: idsOf('run') });
  const datasets = await nameThings(db, { workspace_id, table: 'datasets', ids: idsOf('dataset') });
  const sessions = await nameThings(db, { workspace_id, table: 'sessions', ids: idsOf('thread') });
  return shares.map(({ subject, token, created_at }) => {
    const common = { type: subject.kind, share_token: token, created_at };
    const { subject_id } = subject;
    if (subject.kind === 'dataset')
      return { ...common, dataset_id: subject_id, dataset_name: datasets.get(subject_id) ?? null };
    if (subject.kind === 'thread')
      return {
        ...common,
        thread_id: subject.thread_id,
        session_id: subject_id,
        session_name: sessions.get(subject_id) ?? null,
      };
    const unnamed = { run_name: null, run_type: null, session_id: null, session_name: null };
    return { ...common, ...unnamed, ...runs.get(subject_id), run_id: subject_id };
  });
}
