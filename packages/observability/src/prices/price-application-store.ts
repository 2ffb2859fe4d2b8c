import type { Queryable, Transaction } from '@roadstead/postgres';
import type { PartitionKey } from '../partitions/week-rules.ts';
import type { PriceApplication } from './price-application-rules.ts';
import type { InWorkspace, RowKey } from '../values/keys.ts';

/** The progress of applying a workspace's prices to the stored runs: a place in their order. */

const columns = 'workspace_id, id, requested_at, finished_at, tier, week, run_id, runs_seen, runs_changed';

/** Requests an application; one that is under way begins again, since the prices may have changed behind it. */
export async function requestApplication(
  db: Queryable,
  { workspace_id, id }: RowKey,
): Promise<PriceApplication> {
  return db.one<PriceApplication>(
    `insert into traces.price_applications (workspace_id, id) values ($1, $2)
     on conflict (workspace_id) do update set id = excluded.id, requested_at = now(), finished_at = null,
       tier = null, week = null, run_id = null, runs_seen = 0, runs_changed = 0
     returning ${columns}`,
    [workspace_id, id],
  );
}

export async function findApplication(
  db: Queryable,
  workspace_id: string,
): Promise<PriceApplication | undefined> {
  return db.maybe<PriceApplication>(
    `select ${columns} from traces.price_applications where workspace_id = $1`,
    [workspace_id],
  );
}

export async function listOpenApplications(db: Queryable): Promise<string[]> {
  const rows = await db.query<InWorkspace>(
    'select workspace_id from traces.price_applications where finished_at is null',
  );
  return rows.map(({ workspace_id }) => workspace_id);
}

/** Undefined where it is finished, or another instance does the next step. */
export async function lockApplication(
  tx: Transaction,
  workspace_id: string,
): Promise<PriceApplication | undefined> {
  return tx.maybe<PriceApplication>(
    `select ${columns} from traces.price_applications
     where workspace_id = $1 and finished_at is null for update skip locked`,
    [workspace_id],
  );
}

/** The next partition in the order of tier and week; undefined after the last. */
export async function findPartitionAfter(
  db: Queryable,
  { tier, week }: { readonly tier: string | null; readonly week: string | null },
): Promise<PartitionKey | undefined> {
  return db.maybe<PartitionKey>(
    `select tier, week from traces.partitions
     where $1::text is null or (tier, week) > ($1, $2::date) order by tier, week limit 1`,
    [tier, week],
  );
}

export interface PricedRun {
  readonly run_id: string;
  readonly trace_id: string;
}

/** Runs of a partition that name a model, in the order of their ids. */
export async function listPricedRuns(
  db: Queryable,
  {
    workspace_id,
    partition,
    after,
    limit,
  }: InWorkspace & {
    readonly partition: PartitionKey;
    readonly after: string | null;
    readonly limit: number;
  },
): Promise<PricedRun[]> {
  return db.query<PricedRun>(
    `select run_id, trace_id from traces.runs
     where workspace_id = $1 and tier = $2 and week = $3 and ($4::uuid is null or run_id > $4)
       and model is not null and total_tokens is not null
     order by run_id limit $5`,
    [workspace_id, partition.tier, partition.week, after, limit],
  );
}

export async function recordStep(
  tx: Transaction,
  step: Pick<PriceApplication, 'workspace_id' | 'tier' | 'week' | 'run_id'> & {
    readonly seen: number;
    readonly changed: number;
    readonly finished: boolean;
  },
): Promise<void> {
  await tx.run(
    `update traces.price_applications set tier = $2, week = $3, run_id = $4, runs_seen = runs_seen + $5,
       runs_changed = runs_changed + $6, finished_at = case when $7 then now() end
     where workspace_id = $1`,
    [step.workspace_id, step.tier, step.week, step.run_id, step.seen, step.changed, step.finished],
  );
}
