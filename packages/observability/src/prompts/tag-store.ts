import { uuidv7 } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import type { OffsetPage } from '../values/pages.ts';

/** Names of versions, and the versions that they named. */

export interface TagRow {
  readonly id: string;
  readonly repo_id: string;
  readonly commit_id: string;
  readonly commit_hash: string;
  readonly tag_name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

const selected = `
  t.id, t.prompt_id as repo_id, t.commit_id, c.hash as commit_hash, t.name as tag_name, t.created_at, t.updated_at
  from traces.prompt_tags t join traces.prompt_commits c on c.id = t.commit_id`;

export async function listTags(db: Queryable, prompt_id: string): Promise<TagRow[]> {
  return db.query(`select ${selected} where t.prompt_id = $1 order by t.name`, [prompt_id]);
}

interface TagKey {
  readonly prompt_id: string;
  readonly name: string;
}

export async function findTag(db: Queryable, { prompt_id, name }: TagKey): Promise<TagRow | undefined> {
  return db.maybe(`select ${selected} where t.prompt_id = $1 and t.name = $2`, [prompt_id, name]);
}

/** Creates a name, or moves it to another version. */
export async function upsertTag(
  tx: Transaction,
  { prompt_id, name, commit_id }: TagKey & { readonly commit_id: string },
): Promise<void> {
  await tx.run(
    `insert into traces.prompt_tags (id, prompt_id, name, commit_id) values ($1, $2, $3, $4)
     on conflict (prompt_id, name) do update set commit_id = excluded.commit_id, updated_at = now()`,
    [uuidv7(), prompt_id, name, commit_id],
  );
}

export async function deleteTag(tx: Transaction, { prompt_id, name }: TagKey): Promise<void> {
  await tx.run('delete from traces.prompt_tags where prompt_id = $1 and name = $2', [prompt_id, name]);
}

export async function insertMove(
  tx: Transaction,
  move: TagKey & { readonly from: string | null; readonly to: string | null; readonly actor: string },
): Promise<void> {
  await tx.run(
    `insert into traces.prompt_tag_moves (id, prompt_id, name, from_commit_id, to_commit_id, actor)
     values ($1, $2, $3, $4, $5, $6)`,
    [uuidv7(), move.prompt_id, move.name, move.from, move.to, move.actor],
  );
}

export interface MoveRow {
  readonly id: string;
  readonly repo_id: string;
  readonly tag_name: string;
  readonly from_commit_id: string | null;
  readonly from_commit_hash: string | null;
  readonly to_commit_id: string | null;
  readonly to_commit_hash: string | null;
  readonly performed_by: string;
  readonly created_at: string;
}

/** The moves of a name, the newest first, and their number. */
export async function listMoves(
  db: Queryable,
  { prompt_id, name, limit, offset }: TagKey & OffsetPage,
): Promise<{ readonly rows: MoveRow[]; readonly total: number }> {
  const rows = await db.query<MoveRow>(
    `select m.id, m.prompt_id as repo_id, m.name as tag_name, m.from_commit_id, f.hash as from_commit_hash,
       m.to_commit_id, t.hash as to_commit_hash, m.actor as performed_by, m.created_at
     from traces.prompt_tag_moves m
       left join traces.prompt_commits f on f.id = m.from_commit_id
       left join traces.prompt_commits t on t.id = m.to_commit_id
     where m.prompt_id = $1 and m.name = $2 order by m.created_at desc, m.id desc limit $3 offset $4`,
    [prompt_id, name, limit, offset],
  );
  const { total } = await db.one<{ total: number }>(
    'select count(*) as total from traces.prompt_tag_moves where prompt_id = $1 and name = $2',
    [prompt_id, name],
  );
  return { rows, total };
}
