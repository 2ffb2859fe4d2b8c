import type { PlaygroundExperimentStatus } from '@roadstead/contracts/observability';
import { Problem } from '@roadstead/kit';
import type { Span } from '@roadstead/kit';
import type { Queryable, Transaction, UnderLock } from '@roadstead/postgres';
import { nowLocked } from '@roadstead/postgres';
import type { InWorkspace, RowKey } from '../values/keys.ts';
import {
  experimentStatuses,
  type ExperimentProgress,
  type NewExperiment,
} from './playground-experiment-row.ts';

/** Experiments that the playground runs. */

const progress = `e.id, s.name, e.dataset_id, e.model_provider_id, e.model, e.status, e.last_error, e.created_at,
  e.ended_at, n.total, n.waiting, n.done, n.failed, n.cancelled
  from traces.playground_experiments e
  join traces.sessions s on s.workspace_id = e.workspace_id and s.id = e.id and s.deleted_at is null,
  lateral (select count(*) as total, count(*) filter (where c.state = 'waiting') as waiting,
      count(*) filter (where c.state = 'done') as done, count(*) filter (where c.state = 'failed') as failed,
      count(*) filter (where c.state = 'cancelled') as cancelled
    from traces.playground_calls c where c.workspace_id = e.workspace_id and c.experiment_id = e.id) n`;

export async function insertExperiment(tx: Transaction, row: NewExperiment): Promise<void> {
  await tx.run(
    `insert into traces.playground_experiments (workspace_id, id, dataset_id, as_of, model_provider_id, model, asked, status)
     values ($1, $2, $3, $4, $5, $6, $7, 'running')`,
    [
      row.workspace_id,
      row.id,
      row.dataset_id,
      row.as_of,
      row.model_provider_id,
      row.model,
      JSON.stringify(row.asked),
    ],
  );
}

/** @throws Problem `not_found` */
export async function readExperiment(
  db: Queryable,
  { workspace_id, id }: RowKey,
): Promise<ExperimentProgress> {
  const row = await db.maybe<ExperimentProgress>(
    `select ${progress} where e.workspace_id = $1 and e.id = $2`,
    [workspace_id, id],
  );
  if (row === undefined) throw noSuchExperiment();
  return row;
}

/** The newest first. */
export async function listExperiments(
  db: Queryable,
  {
    workspace_id,
    dataset_id,
    after,
    limit,
  }: InWorkspace & Span & { readonly dataset_id: string | undefined },
): Promise<ExperimentProgress[]> {
  return db.query<ExperimentProgress>(
    `select ${progress} where e.workspace_id = $1 and ($2::uuid is null or e.dataset_id = $2)
       and ($3::uuid is null or e.id < $3) order by e.id desc limit $4`,
    [workspace_id, dataset_id ?? null, after ?? null, limit],
  );
}

/** Locks an experiment: who ends it, or a call of it, waits for each other. @throws Problem `not_found` */
export async function lockExperiment(
  tx: Transaction,
  { workspace_id, id }: RowKey,
): Promise<{ readonly tx: UnderLock<'experiment'>; readonly status: PlaygroundExperimentStatus }> {
  const row = await tx.maybe<{ status: PlaygroundExperimentStatus }>(
    'select status from traces.playground_experiments where workspace_id = $1 and id = $2 for update',
    [workspace_id, id],
  );
  if (row === undefined) throw noSuchExperiment();
  return { tx: nowLocked<'experiment'>(tx), status: row.status };
}

/** Moves an experiment to its end, together with its project; false where its status is no longer `from`. */
export async function endExperiment(
  tx: UnderLock<'experiment'>,
  { workspace_id, id }: RowKey,
  { from, to }: { readonly from: PlaygroundExperimentStatus; readonly to: PlaygroundExperimentStatus },
): Promise<boolean> {
  if (!experimentStatuses[from].includes(to)) return false;
  const moved = await tx.run(
    `with ended as (
       update traces.playground_experiments set status = $4, ended_at = now()
       where workspace_id = $1 and id = $2 and status = $3 returning workspace_id, id)
     update traces.sessions s set end_time = now() from ended e where s.workspace_id = e.workspace_id and s.id = e.id`,
    [workspace_id, id, from, to],
  );
  return moved > 0;
}

export async function noteFailure(
  tx: Transaction,
  { workspace_id, id, error }: RowKey & { readonly error: string },
): Promise<void> {
  await tx.run(
    'update traces.playground_experiments set last_error = $3 where workspace_id = $1 and id = $2',
    [workspace_id, id, error],
  );
}

const noSuchExperiment = () => new Problem('not_found', 'The playground runs no such experiment.');
