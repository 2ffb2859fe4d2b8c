import { uuidv7 } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import type { CommitRow } from './prompt-row.ts';
import type { OffsetPage } from '../values/pages.ts';

/** Versions of prompts, numbered one after the other. */

/** The columns without the manifest, which may be large. */
const selected = `
  c.id, c.prompt_id, c.number, c.hash, c.description, c.num_downloads, c.num_views, c.created_at,
  parent.id as parent_id, parent.hash as parent_hash`;
const from = `traces.prompt_commits c
  left join traces.prompt_commits parent on parent.prompt_id = c.prompt_id and parent.number = c.number - 1`;

/** Finds a version by `latest`, a name, a hash, or an unambiguous beginning of a hash. */
export async function findCommit(
  db: Queryable,
  { prompt_id, ref }: { readonly prompt_id: string; readonly ref: string },
): Promise<CommitRow | undefined> {
  const [row] = await db.query<CommitRow>(
    `with found as (
       (select number, 1 as rank from traces.prompt_commits where prompt_id = $1 and $2 = 'latest'
        order by number desc limit 1)
       union all
       (select c.number, 2 from traces.prompt_tags t join traces.prompt_commits c on c.id = t.commit_id
        where t.prompt_id = $1 and t.name = $2)
       union all
       (select number, 3 from traces.prompt_commits
        where prompt_id = $1 and (hash = $2 or id::text = $2
          or ($2 ~ '^[0-9a-f]{4,63}$' and 1 = (
            select count(*) from traces.prompt_commits where prompt_id = $1 and starts_with(hash, $2))
            and starts_with(hash, $2))))
     )
     select ${selected} from ${from} join found on found.number = c.number where c.prompt_id = $1 order by found.rank limit 1`,
    [prompt_id, ref],
  );
  return row;
}

/** The newest first. */
export async function listCommits(
  db: Queryable,
  {
    prompt_id,
    tag,
    limit,
    offset,
  }: OffsetPage & { readonly prompt_id: string; readonly tag: string | undefined },
): Promise<CommitRow[]> {
  return db.query<CommitRow>(
    `select ${selected} from ${from}
     where c.prompt_id = $1 and ($2::text is null or c.id = (
       select commit_id from traces.prompt_tags t where t.prompt_id = $1 and t.name = $2))
     order by c.number desc limit $3 offset $4`,
    [prompt_id, tag ?? null, limit, offset],
  );
}

/** JSON, as it came. */
export async function readManifest(db: Queryable, commit_id: string): Promise<string> {
  const row = await db.maybe<{ manifest: string }>(
    'select manifest from traces.prompt_commits where id = $1',
    [commit_id],
  );
  // The version was deleted meanwhile: a list then has no manifest for it.
  return row?.manifest ?? 'null';
}

/** Counts that a version was fetched, by a program or by a person who looks at it. */
export async function countUse(
  db: Queryable,
  { commit, column }: { readonly commit: CommitRow; readonly column: 'num_downloads' | 'num_views' },
): Promise<void> {
  await db.run(
    `with one as (update traces.prompt_commits set ${column} = ${column} + 1 where id = $1)
     update traces.prompts set ${column} = ${column} + 1 where id = $2`,
    [commit.id, commit.prompt_id],
  );
}

/** Locks the prompt of this id: writers of its versions wait for each other. */
export async function lockPrompt(
  tx: Transaction,
  id: string,
): Promise<{ readonly num_commits: number } | undefined> {
  return tx.maybe('select num_commits from traces.prompts where id = $1 for update', [id]);
}

export interface NewCommit {
  readonly prompt_id: string;
  readonly number: number;
  readonly hash: string;
  readonly manifest: string;
  readonly description: string | null;
  readonly actor: string;
}

export async function insertCommit(tx: Transaction, fresh: NewCommit): Promise<{ readonly id: string }> {
  const id = uuidv7();
  await tx.run(
    `with written as (
       insert into traces.prompt_commits (prompt_id, number, id, hash, manifest, description, created_by)
       values ($1, $2, $3, $4, $5, $6, $7))
     update traces.prompts set num_commits = $2, updated_at = now() where id = $1`,
    [fresh.prompt_id, fresh.number, id, fresh.hash, fresh.manifest, fresh.description, fresh.actor],
  );
  return { id };
}

/** Copies all versions of one prompt to another that has none. */
export async function copyCommits(
  tx: Transaction,
  { from: source, to, actor }: { readonly from: string; readonly to: string; readonly actor: string },
): Promise<void> {
  await tx.run(
    `with copied as (
       insert into traces.prompt_commits (prompt_id, number, id, hash, manifest, description, created_by, created_at)
       select $2, number, gen_random_uuid(), hash, manifest, description, $3, created_at
       from traces.prompt_commits where prompt_id = $1 returning number)
     update traces.prompts set num_commits = (select coalesce(max(number), 0) from copied) where id = $2`,
    [source, to, actor],
  );
}
