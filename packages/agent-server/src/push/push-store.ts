import type { A2aVersion } from '@roadstead/contracts/agent-server';
import type { Database, Queryable } from '@roadstead/postgres';
import type { OpenPush, PushConfig, PushKey } from './push-config.ts';

/** Push notification configs. Every write names the engine's epoch. */

interface PushRow extends Omit<OpenPush, 'owner' | 'scheme'> {
  readonly principal: string;
  readonly assistant_id: string;
  readonly scheme: string | null;
}

const columns = `task_id, config_id, principal, assistant_id, version, url, secrets, scheme, seq, sending, attempts, due_at,
  (select r.traceparent from tasks t join runs r using (run_id) where t.task_id = push_configs.task_id) as traceparent`;

const openOf = ({ principal, assistant_id, scheme, ...row }: PushRow): OpenPush => ({
  ...row,
  scheme: scheme ?? undefined,
  owner: { principal, assistant_id },
});

export type NewPush = Omit<OpenPush, 'sending' | 'attempts' | 'due_at' | 'traceparent' | 'version'> & {
  readonly version: A2aVersion;
};

/** Inserts a config, or replaces one of the same id, which continues where it was. False where the epoch has passed. */
export async function upsertPush(
  db: Queryable,
  { push, epoch }: { readonly push: NewPush; readonly epoch: number },
): Promise<boolean> {
  const { task_id, config_id, owner, version, url, secrets, scheme, seq } = push;
  const written = await db.run(
    `insert into push_configs (task_id, config_id, principal, assistant_id, version, url, secrets, scheme, seq)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9 where exists (select from engine where epoch = $10)
     on conflict (task_id, config_id) do update set version = excluded.version, url = excluded.url,
       secrets = excluded.secrets, scheme = excluded.scheme, state = 'open', attempts = 0, due_at = null, error = null`,
    [
      task_id,
      config_id,
      owner.principal,
      owner.assistant_id,
      version,
      url,
      secrets,
      scheme ?? null,
      seq,
      epoch,
    ],
  );
  return written === 1;
}

export async function listPushes(db: Queryable, task_id: string): Promise<PushConfig[]> {
  const rows = await db.query<PushKey & { readonly url: string; readonly scheme: string | null }>(
    'select task_id, config_id, url, scheme from push_configs where task_id = $1 order by created_at, config_id',
    [task_id],
  );
  return rows.map((row) => ({ ...row, scheme: row.scheme ?? undefined }));
}

export async function deletePush(
  db: Queryable,
  { task_id, config_id }: PushKey,
  { epoch }: { readonly epoch: number },
): Promise<void> {
  await db.run(
    `delete from push_configs where task_id = $1 and config_id = $2 and exists (select from engine where epoch = $3)`,
    [task_id, config_id, epoch],
  );
}

/** Undefined where it is gone, or nothing is left to send. */
export async function findOpenPush(
  db: Queryable,
  { task_id, config_id }: PushKey,
): Promise<OpenPush | undefined> {
  const row = await db.maybe<PushRow>(
    `select ${columns} from push_configs where task_id = $1 and config_id = $2 and state = 'open'`,
    [task_id, config_id],
  );
  return row && openOf(row);
}

/** Lists open configs, in pages by their keys. */
export async function listOpenPushes(
  db: Database,
  { after, limit }: { readonly after: PushKey | undefined; readonly limit: number },
): Promise<OpenPush[]> {
  const rows = await db.query<PushRow>(
    `select ${columns} from push_configs where state = 'open' and (task_id, config_id) > ($1::uuid, $2)
     order by task_id, config_id limit $3`,
    [after?.task_id ?? '00000000-0000-0000-0000-000000000000', after?.config_id ?? '', limit],
  );
  return rows.map(openOf);
}

export interface PushProgress {
  readonly state: 'open' | 'done' | 'dead';
  readonly seq: number;
  readonly attempts: number;
  readonly due_at: Date | null;
  readonly error: string | null;
}

/** Records that the events up to this one are sent as one. False where the epoch has passed. */
export async function markSending(
  db: Queryable,
  { task_id, config_id }: PushKey,
  { seq, epoch }: { readonly seq: number; readonly epoch: number },
): Promise<boolean> {
  const marked = await db.run(
    `update push_configs set sending = $3
     where task_id = $1 and config_id = $2 and exists (select from engine where epoch = $4)`,
    [task_id, config_id, seq, epoch],
  );
  return marked === 1;
}

/** Records the position of a config. */
export async function recordPush(
  db: Queryable,
  { task_id, config_id }: PushKey,
  { progress, epoch }: { readonly progress: PushProgress; readonly epoch: number },
): Promise<void> {
  const { state, seq, attempts, due_at, error } = progress;
  await db.run(
    `update push_configs set state = $3, seq = greatest(seq, $4), attempts = $5, due_at = $6, error = $7
     where task_id = $1 and config_id = $2 and exists (select from engine where epoch = $8)`,
    [task_id, config_id, state, seq, attempts, due_at, error, epoch],
  );
}
