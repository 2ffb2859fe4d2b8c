import { randomUUID } from 'node:crypto';
import { DueInTurns, type Queryable, type Transaction, type UnderLock } from '@roadstead/postgres';
import { instantText } from '../records/run-store.ts';
import type { RowKey } from '../values/keys.ts';
import type {
  CallKey,
  CallState,
  ClaimedCall,
  ExperimentFields,
  NewCall,
} from './playground-experiment-row.ts';

/** The calls of experiments: one row each, with the id that its run has or will have. */

/** The time after which a call whose process is gone is due again. */
const LEASE_S = 15;

const byId = 'workspace_id = $1 and experiment_id = $2 and run_id = $3';
const idOf = ({ workspace_id, experiment_id, run_id }: CallKey) => [workspace_id, experiment_id, run_id];

export async function insertCalls(
  tx: Transaction,
  { workspace_id, id, calls }: RowKey & { readonly calls: readonly NewCall[] },
): Promise<void> {
  await tx.run(
    `insert into traces.playground_calls (workspace_id, experiment_id, run_id, example_id, repetition, state)
     select $1, $2, c.run_id, c.example_id, c.repetition, 'waiting'
     from unnest($3::uuid[], $4::uuid[], $5::int[]) as c(run_id, example_id, repetition)`,
    [
      workspace_id,
      id,
      calls.map(({ run_id }) => run_id),
      calls.map(({ example_id }) => example_id),
      calls.map(({ repetition }) => repetition),
    ],
  );
}

/** Lists due calls; workspaces take turns, and so do the experiments of one. */
export const dueCalls = () =>
  new DueInTurns<CallKey>({
    table: 'traces.playground_calls',
    key: 'run_id',
    owner: ['workspace_id', 'experiment_id'],
    owner_type: 'uuid',
    due: 'due_at',
    waits: `state = 'waiting'`,
  });

/** Claims a due call for a while; undefined where it is not due, or another instance makes it. */
export async function claimCall(db: Queryable, key: CallKey): Promise<ClaimedCall | undefined> {
  const claim = randomUUID();
  const row = await db.maybe<Omit<ClaimedCall, 'asked' | 'claim' | keyof CallKey> & { asked: string }>(
    `update traces.playground_calls c
     set claim = $4, attempts = c.attempts + 1, due_at = now() + make_interval(secs => ${LEASE_S})
     from traces.playground_experiments e
     where c.workspace_id = $1 and c.experiment_id = $2 and c.run_id = $3 and c.state = 'waiting' and c.due_at <= now()
       and e.workspace_id = c.workspace_id and e.id = c.experiment_id
     returning c.example_id, c.repetition, c.attempts, e.dataset_id, ${instantText('e.as_of')} as as_of,
       e.model_provider_id, e.model, e.asked`,
    [...idOf(key), claim],
  );
  return row && { ...key, ...row, claim, asked: JSON.parse(row.asked) as ExperimentFields['asked'] };
}

/** Keeps a claim for a while longer; false where it is lost, or the call is no longer wanted. */
export async function renewClaim(db: Queryable, call: ClaimedCall): Promise<boolean> {
  const kept = await db.run(
    `update traces.playground_calls set due_at = now() + make_interval(secs => ${LEASE_S})
     where ${byId} and claim = $4 and state = 'waiting' and exists (
       select from traces.sessions s where s.workspace_id = $1 and s.id = $2 and s.deleted_at is null)`,
    [...idOf(call), call.claim],
  );
  return kept > 0;
}

/** Lets a call wait for its next attempt. */
export async function postponeCall(
  db: Queryable,
  { after_ms, ...call }: ClaimedCall & { readonly after_ms: number },
): Promise<void> {
  await db.run(
    `update traces.playground_calls set due_at = now() + make_interval(secs => $5), claim = null
     where ${byId} and claim = $4 and state = 'waiting'`,
    [...idOf(call), call.claim, after_ms / 1000],
  );
}

/** Records how a call ended; false where the claim is lost. */
export async function settleCall(
  tx: UnderLock<'experiment'>,
  { state, ...call }: ClaimedCall & { readonly state: CallState },
): Promise<boolean> {
  const settled = await tx.run(
    `update traces.playground_calls set state = $5, claim = null where ${byId} and claim = $4 and state = 'waiting'`,
    [...idOf(call), call.claim, state],
  );
  return settled > 0;
}

export async function hasWaitingCalls(
  tx: UnderLock<'experiment'>,
  { workspace_id, id }: RowKey,
): Promise<boolean> {
  const [waiting] = await tx.query(
    `select from traces.playground_calls where workspace_id = $1 and experiment_id = $2 and state = 'waiting' limit 1`,
    [workspace_id, id],
  );
  return waiting !== undefined;
}

export async function cancelCalls(tx: UnderLock<'experiment'>, { workspace_id, id }: RowKey): Promise<void> {
  await tx.run(
    `update traces.playground_calls set state = 'cancelled', claim = null
     where workspace_id = $1 and experiment_id = $2 and state = 'waiting'`,
    [workspace_id, id],
  );
}

/** The run of a call that was traced before its end was recorded; undefined where there is none. */
export async function findTracedRun(
  db: Queryable,
  { workspace_id, run_id }: CallKey,
): Promise<{ readonly has_error: boolean } | undefined> {
  return db.maybe(
    `select error_preview is not null as has_error from traces.runs where workspace_id = $1 and run_id = $2`,
    [workspace_id, run_id],
  );
}

/** Whether the project of an experiment is still there. */
export async function hasProject(db: Queryable, { workspace_id, experiment_id }: CallKey): Promise<boolean> {
  const [found] = await db.query(
    'select from traces.sessions where workspace_id = $1 and id = $2 and deleted_at is null',
    [workspace_id, experiment_id],
  );
  return found !== undefined;
}
