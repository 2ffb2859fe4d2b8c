import type { prompts } from '@roadstead/contracts/observability';
import type { Call, Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { promptAnswer, requireSharing } from './prompt-rules.ts';
import {
  deletePrompts,
  insertPrompt,
  setLike,
  updatePrompt,
  listPrompts,
  listTopics,
  type PromptFilter,
} from './prompt-store.ts';
import type { PromptRow } from './prompt-row.ts';
import { forkPrompt, promptAccess, type PromptOptions } from './prompt-work.ts';
import { jsonAnswer } from '../reading/json-answer.ts';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import { withJson } from './commit-rules.ts';
import { findCommit, readManifest } from './commit-store.ts';

type PromptHandlers = Handlers<typeof prompts>;
type PromptListQuery = Parameters<PromptHandlers['listPromptTopics']>[0]['query'];

export function promptHandlers(options: PromptOptions): PromptHandlers {
  const { db, public_sharing } = options;
  const { readerOf, read, own } = promptAccess(options);
  const answer = (row: PromptRow) => ({ repo: { ...promptAnswer(row), latest_commit_manifest: null } });
  /** The prompt as it is now. */
  const answerOf = async (call: Call, repo: string) =>
    answer(await read({ ...call, params: { owner: '-', repo } }));
  return {
    listPrompts: async (call) => {
      const { with_latest_manifest, sort_field: order, sort_direction, ...query } = call.query;
      const page = {
        filter: filterOf(query),
        order,
        is_descending: sort_direction === 'desc',
        limit: query.limit,
        offset: query.offset,
      };
      const { rows, total } = await inLimitedTime(db, (tx) => listPrompts(tx, readerOf(call), page));
      return jsonAnswer(pageText(db, rows, { total, with_manifests: with_latest_manifest }));
    },
    listPromptTopics: async (call) => {
      const { limit, offset } = call.query;
      const page = { filter: filterOf(call.query), limit, offset };
      return { tags: await inLimitedTime(db, (tx) => listTopics(tx, readerOf(call), page)) };
    },
    createPrompt: async (call) => {
      const { repo_handle: handle, repo_type: kind, ...fields } = call.body;
      requireSharing(fields.is_public, public_sharing);
      const id = await insertPrompt(db, readerOf(call), { ...fields, handle, kind });
      if (id === undefined) throw new Problem('conflict', 'A prompt with this name already exists.');
      return answerOf(call, handle);
    },
    deletePrompts: async ({ workspace_id, query }) => {
      await deletePrompts(db, { workspace_id, ids: query.repo_ids });
      return { message: 'The prompts are deleted.' };
    },
    readPrompt: async (call) => answer(await read(call)),
    patchPrompt: async (call) => {
      requireSharing(call.body.is_public, public_sharing);
      const { id, handle } = await own(call);
      await updatePrompt(db, id, call.body);
      return answerOf(call, handle);
    },
    deletePrompt: async (call) => {
      const { workspace_id, id } = await own(call);
      await deletePrompts(db, { workspace_id, ids: [id] });
      return { message: 'The prompt is deleted.' };
    },
    forkPrompt: async (call) => {
      const { repo_handle: handle, ...fields } = call.body;
      requireSharing(fields.is_public, public_sharing);
      const source = await read(call);
      await forkPrompt(db, readerOf(call), { from: source, fields: { ...fields, handle } });
      return answerOf(call, handle);
    },
    likePrompt: async (call) => {
      const { id } = await read(call);
      return { likes: await setLike(db, { id, actor: call.principal.actor, likes: call.body.like }) };
    },
  };
}

function filterOf(query: PromptListQuery): PromptFilter {
  const kinds = [...(query.repo_types ?? []), ...(query.repo_type === undefined ? [] : [query.repo_type])];
  return {
    owner: query.tenant_handle,
    workspace_id: query.tenant_id,
    query: query.query,
    is_prefix: query.match_prefix ?? false,
    has_commits: query.has_commits,
    tags: query.tags,
    is_archived: query.is_archived === 'allow' ? undefined : query.is_archived === 'true',
    is_public: query.is_public,
    upstream_owner: query.upstream_repo_owner,
    upstream_handle: query.upstream_repo_handle,
    kinds: kinds.length === 0 ? undefined : kinds,
    source: query.source,
  };
}

/** One manifest after the other, since each may be large. */
async function* pageText(
  db: Database,
  rows: readonly PromptRow[],
  { total, with_manifests }: { readonly total: number; readonly with_manifests: boolean },
): AsyncGenerator<string> {
  yield '{"repos":[';
  for (const [index, row] of rows.entries()) {
    const latest = with_manifests ? await latestText(db, row) : 'null';
    yield (index === 0 ? '' : ',') + withJson(promptAnswer(row), { latest_commit_manifest: latest });
  }
  yield `],"total":${total}}`;
}

async function latestText(db: Database, { id }: PromptRow): Promise<string> {
  const commit = await findCommit(db, { prompt_id: id, ref: 'latest' });
  if (commit === undefined) return 'null';
  const manifest = await readManifest(db, commit.id);
  return withJson({ commit_hash: commit.hash, examples: [] }, { manifest });
}
