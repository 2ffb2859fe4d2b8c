import { uuidv7 } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import { HANDLE } from '../workspaces/workspace-settings-store.ts';
import type { PromptReader, PromptRow } from './prompt-row.ts';
import type { RowKeys } from '../values/keys.ts';
import type { OffsetPage } from '../values/pages.ts';

const fullNameOf = (id: string) =>
  `(select ${HANDLE('q.workspace_id')} || '/' || q.handle from traces.prompts q where q.id = ${id})`;

/** Parameters 1 to 3 are those of the reader. */
const selected = `
  p.*, ${HANDLE('p.workspace_id')} as owner,
  exists (select from traces.prompt_likes l where l.prompt_id = p.id and l.actor = $2) as is_liked,
  (select c.hash from traces.prompt_commits c where c.prompt_id = p.id and c.number = p.num_commits) as last_hash,
  array(select t.name from traces.prompt_tags t where t.prompt_id = p.id order by t.name) as commit_tags,
  ${fullNameOf('p.original_id')} as original_name, ${fullNameOf('p.upstream_id')} as upstream_name`;
const visible = '(p.workspace_id = $1 or (p.is_public and $3::boolean))';

const asParameters = ({ workspace_id, actor, sees_public }: PromptReader) => [
  workspace_id,
  actor,
  sees_public,
];

/**
 * Finds a prompt by the names in an address: the owner is `-` for the reader's own workspace, or a workspace's handle
 * or id.
 */
export async function findPrompt(
  db: Queryable,
  reader: PromptReader,
  { owner, repo }: { readonly owner: string; readonly repo: string },
): Promise<PromptRow | undefined> {
  return db.maybe<PromptRow>(
    `select ${selected} from traces.prompts p
     where p.handle = $4 and ${visible}
       and case when $5 = '-' then p.workspace_id = $1
         else $5 in (${HANDLE('p.workspace_id')}, p.workspace_id::text) end`,
    [...asParameters(reader), repo, owner],
  );
}

export interface PromptFilter {
  readonly owner?: string | undefined;
  readonly workspace_id?: string | undefined;
  readonly query?: string | undefined;
  readonly is_prefix: boolean;
  readonly has_commits?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Absent for both. */
  readonly is_archived?: boolean | undefined;
  readonly is_public?: boolean | undefined;
  readonly upstream_owner?: string | undefined;
  readonly upstream_handle?: string | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly source?: string | undefined;
}

function conditionsOf(reader: PromptReader, filter: PromptFilter) {
  const values: unknown[] = asParameters(reader);
  const conditions = [visible];
  const add = (value: unknown, condition: (parameter: string) => string) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  // Prompts of others are found as public ones, or by their owner.
  if (filter.is_public !== true && filter.owner === undefined && filter.workspace_id === undefined)
    conditions.push('p.workspace_id = $1');
  const pattern = filter.query?.replaceAll(/[%_\\]/g, String.raw`\$&`);
  if (filter.is_prefix) add(pattern && `${pattern}%`, (p) => `p.handle ilike ${p}`);
  else
    add(
      pattern && `%${pattern}%`,
      (p) => `concat_ws(E'\\n', p.handle, p.description, array_to_string(p.tags, E'\\n')) ilike ${p}`,
    );
  add(filter.owner, (p) => `${HANDLE('p.workspace_id')} = ${p}`);
  add(filter.workspace_id, (p) => `p.workspace_id = ${p}`);
  add(filter.has_commits, (p) => `(p.num_commits > 0) = ${p}`);
  add(filter.tags, (p) => `p.tags @> ${p}::text[]`);
  add(filter.is_archived, (p) => `p.is_archived = ${p}`);
  add(filter.is_public, (p) => `p.is_public = ${p}`);
  add(filter.kinds, (p) => `p.kind = any (${p}::text[])`);
  add(filter.source, (p) => `p.source = ${p}`);
  const upstream = (condition: string) =>
    `exists (select from traces.prompts q where q.id = p.upstream_id and ${condition})`;
  add(filter.upstream_owner, (p) => upstream(`${HANDLE('q.workspace_id')} = ${p}`));
  add(filter.upstream_handle, (p) => upstream(`q.handle = ${p}`));
  return { where: conditions.join(' and '), values };
}

export type PromptOrder = 'num_likes' | 'num_downloads' | 'num_views' | 'updated_at' | 'relevance';

/** A page of the prompts that match, and their number. */
export async function listPrompts(
  db: Queryable,
  reader: PromptReader,
  {
    filter,
    order,
    is_descending,
    limit,
    offset,
  }: OffsetPage & {
    readonly filter: PromptFilter;
    readonly order: PromptOrder;
    readonly is_descending: boolean;
  },
): Promise<{ readonly rows: PromptRow[]; readonly total: number }> {
  const { where, values } = conditionsOf(reader, filter);
  const direction = is_descending ? 'desc' : 'asc';
  // A prompt whose name begins with the query ranks above one that only mentions it.
  const sorted =
    order === 'relevance'
      ? `starts_with(p.handle, $${values.push(filter.query ?? '')}) ${direction}, p.num_likes ${direction}`
      : `p.${order} ${direction}`;
  const rows = await db.query<PromptRow & { total: number }>(
    `select ${selected}, count(*) over () as total from traces.prompts p
     where ${where} order by ${sorted}, p.id ${direction} limit ${limit} offset ${offset}`,
    values,
  );
  return { rows, total: rows[0]?.total ?? (offset === 0 ? 0 : await countPrompts(db, reader, filter)) };
}

async function countPrompts(db: Queryable, reader: PromptReader, filter: PromptFilter): Promise<number> {
  const { where, values } = conditionsOf(reader, filter);
  const { total } = await db.one<{ total: number }>(
    `select count(*) as total, $2::text as actor from traces.prompts p where ${where}`,
    values,
  );
  return total;
}

/** The tags of the prompts that match, the most frequent first. */
export async function listTopics(
  db: Queryable,
  reader: PromptReader,
  { filter, limit, offset }: OffsetPage & { readonly filter: PromptFilter },
): Promise<{ readonly tag: string; readonly count: number }[]> {
  const { where, values } = conditionsOf(reader, filter);
  const rows = await db.query<{ tag: string; count: number }>(
    `select tag, count(*) as count, $2::text as actor from traces.prompts p, unnest(p.tags) as tag
     where ${where} group by tag order by count(*) desc, tag limit ${limit} offset ${offset}`,
    values,
  );
  return rows.map(({ tag, count }) => ({ tag, count }));
}

type OptionalFields<T> = { readonly [K in keyof T]?: T[K] | null | undefined };

/** Fields of a prompt; undefined and null leave them unset. */
type PromptFields = OptionalFields<
  Pick<
    PromptRow,
    | 'description'
    | 'readme'
    | 'tags'
    | 'is_public'
    | 'is_archived'
    | 'restricted_mode'
    | 'kind'
    | 'source'
    | 'original_id'
    | 'upstream_id'
  >
>;

export type NewPrompt = PromptFields & { readonly handle: string };

/** Inserts a prompt. @returns its id; undefined when the name is taken. */
export async function insertPrompt(
  db: Queryable,
  { workspace_id, actor }: PromptReader,
  { handle, ...fields }: NewPrompt,
): Promise<string | undefined> {
  const row = await db.maybe<{ id: string }>(
    `insert into traces.prompts (workspace_id, id, handle, created_by, kind, source, description, readme, tags,
       is_public, restricted_mode, original_id, upstream_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     on conflict (workspace_id, handle) do nothing returning id`,
    [
      workspace_id,
      uuidv7(),
      handle,
      actor,
      fields.kind ?? 'prompt',
      fields.source ?? null,
      fields.description ?? null,
      fields.readme ?? null,
      fields.tags ?? [],
      fields.is_public ?? false,
      fields.restricted_mode ?? false,
      fields.original_id ?? null,
      fields.upstream_id ?? null,
    ],
  );
  return row?.id;
}

export async function updatePrompt(db: Queryable, id: string, fields: PromptFields): Promise<void> {
  await db.run(
    `update traces.prompts set updated_at = now(), description = coalesce($2, description),
       readme = coalesce($3, readme), tags = coalesce($4, tags), is_public = coalesce($5, is_public),
       is_archived = coalesce($6, is_archived), restricted_mode = coalesce($7, restricted_mode) where id = $1`,
    [
      id,
      fields.description ?? null,
      fields.readme ?? null,
      fields.tags ?? null,
      fields.is_public ?? null,
      fields.is_archived ?? null,
      fields.restricted_mode ?? null,
    ],
  );
}

/** Deletes prompts with their versions. */
export async function deletePrompts(db: Queryable, { workspace_id, ids }: RowKeys): Promise<void> {
  await db.run('delete from traces.prompts where workspace_id = $1 and id = any ($2::uuid[])', [
    workspace_id,
    ids,
  ]);
}

/** Sets or removes a like. @returns the number of likes. */
export async function setLike(
  db: Queryable,
  { id, actor, likes }: { readonly id: string; readonly actor: string; readonly likes: boolean },
): Promise<number> {
  const change = likes
    ? 'insert into traces.prompt_likes (prompt_id, actor) values ($1, $2) on conflict do nothing returning 1 as step'
    : 'delete from traces.prompt_likes where prompt_id = $1 and actor = $2 returning -1 as step';
  const row = await db.one<{ num_likes: number }>(
    `with changed as (${change})
     update traces.prompts set num_likes = num_likes + coalesce((select step from changed), 0)
     where id = $1 returning num_likes`,
    [id, actor],
  );
  return row.num_likes;
}
