import type { RunCreate, runEndpoints } from '@roadstead/contracts/agent-server';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { cancelReasons } from '../../runs/cancel-reasons.ts';
import type { NewRun, Run } from '../../runs/run.ts';
import { jsonAnswer, selected } from '../answers.ts';
import { filtersFor, noRun, requireRun, requireThread } from './run-access.ts';
import { runHeaders } from './run-addresses.ts';
import type { RunCall, RunFace } from './run-face.ts';
import { presentRun } from './run-presentation-rules.ts';
import { allowedRun, startRun } from './run-start.ts';
import { deleteRun, listRunIds, listUnfinished } from './run-store.ts';
import { waitForRun } from './run-wait.ts';

type RunHandlers = Handlers<typeof runEndpoints>;

/** The handlers that start, await, show and end runs; those that stream are in `stream-routes.ts`. */
export function createRunHandlers(face: RunFace): RunHandlers {
  return {
    createThreadRun: async (call) =>
      created(face, await startRun(face, call, { request: call.body, ...call.params, wanted: 'events' })),
    waitForThreadRun: async (call) => {
      const run = await startRun(face, call, { request: call.body, ...call.params, wanted: 'end' });
      return waitForRun(face, { run, signal: call.signal, cancel_on_disconnect: cancels(call.body) });
    },
    createRun: async (call) =>
      created(face, await startRun(face, call, { request: call.body, wanted: 'events' })),
    waitForRun: async (call) => {
      const run = await startRun(face, call, { request: call.body, wanted: 'end' });
      return waitForRun(face, { run, signal: call.signal, cancel_on_disconnect: cancels(call.body) });
    },
    createRuns: async (call) => startAll(face, call, call.body),
    listThreadRuns: async (call) => {
      await requireThread(face, call, { ...call.params, action: 'read' });
      const { select, ...page } = call.query;
      const ids = await listRunIds(face.db, { ...call.params, ...page });
      const runs = await Promise.all(ids.map((run_id) => face.runs.find(run_id)));
      const shown = runs.flatMap((run) => (run === undefined ? [] : [shownOf(face, run)]));
      return jsonAnswer(shown.map((run) => selected(run, select)));
    },
    readThreadRun: async (call) =>
      jsonAnswer(shownOf(face, await requireRun(face, call, { ...call.params, action: 'read' }))),
    deleteThreadRun: async (call) => {
      const run = await requireRun(face, call, { ...call.params, action: 'delete' });
      if (run.task_id !== null)
        throw new Problem('conflict', 'This run belongs to an A2A task, which is kept.');
      if (!(await deleteRun(face.db, run.run_id)))
        throw new Problem('conflict', 'This run has not ended.', { hint: 'Cancel it first.' });
    },
    joinThreadRun: async (call) => join(face, call, { ...call.params, ...call.query }),
    joinRun: async (call) => join(face, call, { ...call.params, ...call.query }),
    cancelThreadRun: async (call) => {
      const { run_id } = await requireRun(face, call, { ...call.params, action: 'update' });
      const { action, wait } = call.query;
      const cancelled = await face.runs.cancel(run_id, { action, reason: cancelReasons.asked });
      if (wait && cancelled) await face.runs.ended(run_id, call.signal).catch(unlessGone);
      return new Response(null, { status: wait ? 204 : 202 });
    },
    cancelRuns: async (call) => {
      const { action } = call.query;
      const ids = await namedRuns(face, call, call.body);
      const reason = cancelReasons.asked_with_others;
      await Promise.all(ids.map((run_id) => face.runs.cancel(run_id, { action, reason })));
    },
  };
}

/** A run that is rolled back may be gone before anybody waits for its end. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Problem) || error.kind !== 'not_found') throw error;
}

const cancels = ({ on_disconnect }: Pick<RunCreate, 'on_disconnect'>) => on_disconnect === 'cancel';

const shownOf = (face: RunFace, run: Run) => presentRun(run, face.tracing_project());

async function created(face: RunFace, run: Run): Promise<Response> {
  return jsonAnswer(shownOf(face, run), runHeaders(run));
}

/**
 * Starts all runs of a batch: if one is refused none begins; if one is not admitted the others are undone, since the
 * client sends the batch again.
 */
async function startAll(face: RunFace, call: RunCall, requests: readonly RunCreate[]): Promise<Response> {
  const allowed: NewRun[] = [];
  for (const request of requests) allowed.push(await allowedRun(face, call, { request, wanted: 'events' }));
  // All in one commit.
  const begun = await Promise.allSettled(allowed.map((run) => face.runs.create(run)));
  const runs = begun.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = begun.find((one) => one.status === 'rejected');
  if (failed === undefined) return jsonAnswer(runs.map((run) => shownOf(face, run)));
  const cancel = { action: 'rollback', reason: cancelReasons.batch_refused } as const;
  await Promise.allSettled(runs.map(({ run_id }) => face.runs.cancel(run_id, cancel)));
  throw failed.reason;
}

interface JoinRequest {
  readonly thread_id?: string;
  readonly run_id: string;
  readonly cancel_on_disconnect: boolean;
}

async function join(face: RunFace, call: RunCall, joining: JoinRequest): Promise<Response> {
  const run = await requireRun(face, call, { ...joining, action: 'read' });
  return waitForRun(face, { run, signal: call.signal, ...joining });
}

interface RunSelection {
  readonly thread_id?: string | null | undefined;
  readonly run_ids?: readonly string[] | null | undefined;
  readonly status?: 'pending' | 'running' | 'all' | null | undefined;
}

/** @throws Problem `not_found` for a run that is not one of its thread */
async function namedRuns(
  face: RunFace,
  call: RunCall,
  { thread_id, run_ids, status }: RunSelection,
): Promise<readonly string[]> {
  if (thread_id) await requireThread(face, call, { thread_id, action: 'update' });
  if (run_ids) {
    const runs = await Promise.all(run_ids.map((run_id) => face.runs.find(run_id)));
    if (runs.some((run) => run?.thread_id !== thread_id)) throw noRun();
    return run_ids;
  }
  const value = { thread_id: thread_id ?? null, metadata: { status: status ?? 'all' } };
  const filters = await filtersFor(face, call, { action: 'update', value });
  return listUnfinished(face.db, { status: status ?? 'all', thread_id: thread_id ?? undefined, filters });
}
