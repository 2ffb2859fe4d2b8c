import { uuidv7 } from '@roadstead/kit';
import type { Task } from '../tasks/task.ts';
import type { BeginTask, Owner } from '../tasks/task-engine.ts';
import type { LiveRun } from './live-run.ts';
import type { BeginRecord, RunRow } from './records.ts';
import { beginProgress } from './run-rules.ts';

/** How messages become records and runs. */

export function beginRecord(
  owner: Owner,
  request: BeginTask,
  where: {
    context_id: string;
    thread_id: string;
    graph_id: string;
    revision_id: string;
    new_thread: boolean;
  },
): BeginRecord {
  return {
    ...where,
    task_id: uuidv7(),
    run_id: uuidv7(),
    principal: owner.principal,
    assistant_id: owner.assistant_id,
    context_key: request.context_key,
    message_id: request.message.message_id,
    input: request.input,
    chunks: request.stream,
    // Tracers look for the tracing thread under `thread_id`; the engine's own `thread_id` is no part of the metadata.
    metadata: {
      ...request.metadata,
      thread_id: request.tracing_thread_id ?? where.context_id,
      context_id: where.context_id,
    },
    state: 'submitted',
    status: { state: 'submitted', at: new Date().toISOString() },
    history: [request.message],
  };
}

export function liveRunOf(
  row: RunRow,
  task: Pick<Task, 'context_id' | 'history' | 'status'> & Partial<Pick<Task, 'seq' | 'artifacts'>>,
  { has_checkpoint }: { readonly has_checkpoint: boolean },
): LiveRun {
  const { run_id, thread_id, task_id, assistant_id, graph_id, revision_id, attempt } = row;
  const { input, resume, chunks, metadata } = row;
  const ids = { run_id, thread_id, task_id, assistant_id, graph_id, revision_id, attempt };
  return {
    row: { ...ids, input, resume, chunks, metadata },
    context_id: task.context_id,
    history: task.history,
    progress: beginProgress(task.seq ?? 1, { status: task.status, artifacts: task.artifacts }),
    answered_before: task.artifacts ?? [],
    has_checkpoint,
    wrote_checkpoint: false,
    broken: undefined,
    asked: [],
    failures: 0,
    place: undefined,
  };
}
