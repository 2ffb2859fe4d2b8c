import type { AssistantField } from '@roadstead/contracts/agent-server';
import {
  type Database,
  nowLocked,
  type UnderLock,
  type Queryable,
  type Transaction,
} from '@roadstead/postgres';
import { jsonParameter } from '../json/json-text.ts';
import type { Assistant, AssistantContent, AssistantVersion } from './assistant.ts';
import type { Page } from '../database/page.ts';

/** Assistants and their versions. */

const columns =
  'assistant_id, graph_id, name, description, config, context, metadata, version, created_at, updated_at';
const versionColumns =
  'assistant_id, graph_id, name, description, config, context, metadata, version, created_at';

export async function findAssistant(db: Queryable, assistant_id: string): Promise<Assistant | undefined> {
  return db.maybe<Assistant>(`select ${columns} from assistants where assistant_id = $1`, [assistant_id]);
}

/** Locks an assistant, so that nobody else changes it. */
export async function lockAssistant(
  tx: Transaction,
  assistant_id: string,
): Promise<{ readonly tx: UnderLock<'assistant'>; readonly assistant: Assistant } | undefined> {
  const assistant = await tx.maybe<Assistant>(
    `select ${columns} from assistants where assistant_id = $1 for update`,
    [assistant_id],
  );
  return assistant && { tx: nowLocked<'assistant'>(tx), assistant };
}

interface NewVersion {
  readonly assistant_id: string;
  readonly content: AssistantContent;
}

/** Inserts an assistant with its first version; undefined where its id is taken. */
export async function insertAssistant(
  tx: Transaction,
  { assistant_id, content }: NewVersion,
): Promise<Assistant | undefined> {
  const inserted = await tx.maybe<Assistant>(
    `insert into assistants (assistant_id, graph_id, name, description, config, context, metadata)
     values ($1, $2, $3, $4, $5::text::jsonb, $6::text::jsonb, $7::text::jsonb)
     on conflict (assistant_id) do nothing returning ${columns}`,
    await valuesOf(assistant_id, content),
  );
  if (inserted !== undefined) await insertVersion(tx, assistant_id);
  return inserted;
}

/** Appends a version and makes it the live one. */
export async function appendVersion(
  tx: UnderLock<'assistant'>,
  { assistant_id, content }: NewVersion,
): Promise<Assistant> {
  const changed = await tx.one<Assistant>(
    `update assistants set graph_id = $2, name = $3, description = $4, config = $5::text::jsonb, context = $6::text::jsonb,
       metadata = $7::text::jsonb, updated_at = now(),
       version = (select max(version) + 1 from assistant_versions where assistant_id = $1)
     where assistant_id = $1 returning ${columns}`,
    await valuesOf(assistant_id, content),
  );
  await insertVersion(tx, assistant_id);
  return changed;
}

async function valuesOf(assistant_id: string, content: AssistantContent): Promise<unknown[]> {
  const { graph_id, name, description, config, context, metadata } = content;
  return [
    assistant_id,
    graph_id,
    name,
    description,
    await jsonParameter(config),
    await jsonParameter(context),
    await jsonParameter(metadata),
  ];
}

/** Stores the live content as a version. */
async function insertVersion(tx: Transaction, assistant_id: string): Promise<void> {
  await tx.run(
    `insert into assistant_versions (assistant_id, graph_id, name, description, config, context, metadata, version, created_at)
     select assistant_id, graph_id, name, description, config, context, metadata, version, now() from assistants where assistant_id = $1`,
    [assistant_id],
  );
}

/** Makes a version the live one; undefined where there is none of that number. */
export async function restoreVersion(
  tx: UnderLock<'assistant'>,
  { assistant_id, version }: Pick<Assistant, 'assistant_id' | 'version'>,
): Promise<Assistant | undefined> {
  return tx.maybe<Assistant>(
    `update assistants a set graph_id = v.graph_id, name = v.name, description = v.description, config = v.config,
       context = v.context, metadata = v.metadata, version = v.version, updated_at = now()
     from assistant_versions v where a.assistant_id = $1 and v.assistant_id = $1 and v.version = $2
     returning ${columns
       .split(', ')
       .map((column) => `a.${column}`)
       .join(', ')}`,
    [assistant_id, version],
  );
}

export async function listVersions(
  db: Queryable,
  asked: Page & { readonly assistant_id: string; readonly within: readonly object[] },
): Promise<AssistantVersion[]> {
  return db.query<AssistantVersion>(
    `select ${versionColumns} from assistant_versions
     where assistant_id = $1 and metadata @> all($2::text[]::jsonb[]) order by version desc limit $3 offset $4`,
    [asked.assistant_id, asked.within.map((one) => JSON.stringify(one)), asked.limit, asked.offset],
  );
}

/** Deletes an assistant with its versions, its crons, and its ended runs that belong to no task. */
export async function deleteAssistant(tx: UnderLock<'assistant'>, assistant_id: string): Promise<void> {
  await tx.run(
    `delete from run_events e using runs r where r.assistant_id = $1 and r.task_id is null and e.run_id = r.run_id
       and r.run_id not in (select run_id from queue)`,
    [assistant_id],
  );
  await tx.run(
    `delete from runs where assistant_id = $1 and task_id is null and run_id not in (select run_id from queue)`,
    [assistant_id],
  );
  await tx.run('delete from crons where assistant_id = $1', [assistant_id]);
  await tx.run('delete from assistant_versions where assistant_id = $1', [assistant_id]);
  await tx.run('delete from assistants where assistant_id = $1', [assistant_id]);
}

/** The unfinished runs of an assistant. */
export async function listUnfinished(db: Queryable, assistant_id: string): Promise<string[]> {
  const rows = await db.query<{ run_id: string }>(
    'select r.run_id from queue q join runs r using (run_id) where r.assistant_id = $1 order by q.position desc',
    [assistant_id],
  );
  return rows.map((row) => row.run_id);
}

export interface AssistantFilter {
  /** JSON that their metadata must contain. */
  readonly within: readonly object[];
  readonly graph_id?: string | null | undefined;
  readonly name?: string | null | undefined;
}

function conditionsOf({ within, graph_id, name }: AssistantFilter): {
  readonly where: string;
  readonly given: unknown[];
} {
  const pattern = name ? `%${name.replaceAll(/[\\%_]/g, String.raw`\$&`)}%` : null;
  return {
    where: `metadata @> all($1::text[]::jsonb[]) and ($2::text is null or graph_id = $2) and ($3::text is null or name ilike $3)`,
    given: [within.map((one) => JSON.stringify(one)), graph_id ?? null, pattern],
  };
}

export interface AssistantPage extends Page {
  readonly sort_by: 'assistant_id' | 'graph_id' | 'name' | 'created_at' | 'updated_at';
  readonly sort_order: 'asc' | 'desc';
}

export async function searchAssistants(
  db: Database,
  { filter, page }: { readonly filter: AssistantFilter; readonly page: AssistantPage },
): Promise<{ readonly found: Assistant[]; readonly total: number }> {
  const { where, given } = conditionsOf(filter);
  const { sort_by, sort_order, limit, offset } = page;
  const found = await db.query<Assistant>(
    `select ${columns} from assistants where ${where}
     order by ${sort_by satisfies AssistantField} ${sort_order}, assistant_id limit $4 offset $5`,
    [...given, limit, offset],
  );
  return { found, total: await countAssistants(db, filter) };
}

export async function countAssistants(db: Queryable, filter: AssistantFilter): Promise<number> {
  const { where, given } = conditionsOf(filter);
  const { count } = await db.one<{ count: number }>(`select count(*) from assistants where ${where}`, given);
  return count;
}

/** Lists the assistants that graphs have of their own, with the graph that each began with. */
export async function listOwn(
  tx: Transaction,
  created_by: string,
): Promise<{ readonly assistant_id: string; readonly graph_id: string }[]> {
  return tx.query(
    `select assistant_id, v.graph_id from assistants a join assistant_versions v using (assistant_id)
     where v.version = 1 and a.metadata ->> 'created_by' = $1 and v.metadata ->> 'created_by' = $1`,
    [created_by],
  );
}

/** Updates an assistant to what the project says of it now, as long as nobody has changed it. */
export async function renewOwn(tx: Transaction, { assistant_id, content }: NewVersion): Promise<void> {
  await tx.run(
    `with renewed as (
       update assistants set description = $2, config = $3::text::jsonb, context = $4::text::jsonb
       where assistant_id = $1 and version = 1
         and (description, config, context) is distinct from ($2, $3::text::jsonb, $4::text::jsonb)
       returning *)
     update assistant_versions as kept
       set description = renewed.description, config = renewed.config, context = renewed.context
     from renewed where kept.assistant_id = renewed.assistant_id and kept.version = 1`,
    [
      assistant_id,
      content.description,
      await jsonParameter(content.config),
      await jsonParameter(content.context),
    ],
  );
}
