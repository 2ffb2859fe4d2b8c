import { type Database, DueInTurns, type Queryable } from '@roadstead/postgres';
import { readJson } from '../json/json-text.ts';
import type { Run, RunEvent, RunKwargs } from '../runs/run.ts';
import type { WebhookCall } from './webhook-call.ts';

/** Calls of webhooks about runs that have ended. The trigger `call_webhook` makes them, in the commit of the end. */

interface CallRow {
  readonly url: string;
  readonly run: string;
  readonly values: string | null;
  readonly started: RunEvent | null;
  readonly ended: string | null;
  readonly attempts: number;
  readonly due_at: string;
}

/** A row of `runs` as the database writes it as JSON. */
type StoredRun = Omit<Run, 'kwargs'> & {
  readonly traceparent: string | null;
  readonly kwargs: RunKwargs;
  readonly input: unknown;
  readonly command: RunKwargs['command'] | null;
};

/** Undefined where the call was taken or given up. */
export async function findCall(db: Queryable, run_id: string): Promise<WebhookCall | undefined> {
  const row = await db.maybe<CallRow>(
    `select url, run::text, "values"::text, started, ended::text, attempts, due_at from webhook_calls
     where run_id = $1 and state = 'waiting'`,
    [run_id],
  );
  if (row === undefined) return undefined;
  const run = await readJson<StoredRun>(row.run);
  return {
    ...row,
    run: runOf(run),
    traceparent: run.traceparent,
    values: row.values === null ? undefined : await readJson(row.values),
    ended: row.ended === null ? null : await readJson<RunEvent>(row.ended),
  };
}

function runOf({ input, command, kwargs, created_at, updated_at, ...run }: StoredRun): Run {
  return {
    ...run,
    kwargs: { ...kwargs, ...((command ?? null) === null ? { input } : { command: command ?? {} }) },
    created_at: new Date(created_at).toISOString(),
    updated_at: new Date(updated_at).toISOString(),
  };
}

/** The result of a try. */
export interface TriedCall {
  readonly state: 'waiting' | 'delivered' | 'dead';
  readonly error: string | null;
  /** When it is tried again. */
  readonly due_at: Date;
  readonly epoch: number;
}

export async function recordCall(
  db: Queryable,
  run_id: string,
  { state, error, due_at, epoch }: TriedCall,
): Promise<void> {
  await db.run(
    `update webhook_calls set state = $2, error = $3, due_at = $4, attempts = attempts + 1,
       ended_at = case when $2 = 'waiting' then null else now() end
     where run_id = $1 and state = 'waiting' and exists (select from engine where epoch = $5)`,
    [run_id, state, error, due_at, epoch],
  );
}

/** A call that is due, and the principal whom it counts for. */
export interface DueCall {
  readonly run_id: string;
  readonly principal: string;
  readonly receiver: string;
}

/** Lists the calls that are due, so that callers and their receivers take turns. */
export const dueCalls = () =>
  new DueInTurns<DueCall>({
    table: 'webhook_calls',
    key: 'run_id',
    owner: ['principal', 'receiver'],
    owner_type: 'text',
    due: 'due_at',
    waits: `state = 'waiting'`,
  });

/** Finds when the next call is due. */
export async function findNextCall(db: Database, now: Date): Promise<number | undefined> {
  const next = await db.maybe<{ due_at: string }>(
    `select due_at from webhook_calls where state = 'waiting' and due_at > $1 order by due_at limit 1`,
    [now],
  );
  return next && Date.parse(next.due_at);
}

export async function forgetEndedCalls(db: Database, before: Date): Promise<void> {
  await db.run(`delete from webhook_calls where state <> 'waiting' and ended_at < $1`, [before]);
}
