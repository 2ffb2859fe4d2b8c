import type { RunParams } from '@roadstead/contracts/host';
import type { LiveRun } from '../runs/live-run.ts';

/** The part of a run that a graph host gets. `own` is set where an attempt continues from what its run wrote. Pure. */
export function paramsOf(run: LiveRun, own: RunParams['goes_on']): RunParams {
  const { row } = run;
  const { run_id, attempt, thread_id, graph_id, assistant_id, kwargs } = row;
  const { config = {}, stream_mode = [], stream_subgraphs = false } = kwargs;
  return {
    ...(own === undefined ? beginningOf(run) : { goes_on: own }),
    run_id,
    attempt,
    thread_id,
    graph_id,
    assistant_id,
    has_checkpoint: run.checkpoint === 'inherited' || own !== undefined,
    configurable: config.configurable ?? {},
    // Traces name the revision that served them.
    metadata: { ...row.metadata, revision_id: row.revision_id, run_attempt: attempt },
    tags: config.tags ?? [],
    chunks: row.chunks,
    plain: row.plain,
    values: row.values,
    durability: kwargs.durability ?? 'async',
    ...(stream_mode.length === 0 ? {} : { stream: { modes: stream_mode, subgraphs: stream_subgraphs } }),
    ...present('recursion_limit', config.recursion_limit),
    ...present('context', kwargs.context),
    ...present('configured', kwargs.configured),
    ...present('interrupt_before', kwargs.interrupt_before),
    ...present('interrupt_after', kwargs.interrupt_after),
    ...present('feedback_keys', kwargs.feedback_keys),
    ...present('user', row.user ?? undefined),
    ...present('traceparent', row.traceparent ?? undefined),
    ...present('traced_to', kwargs.langsmith_tracer),
  };
}

function beginningOf({ row: { kwargs } }: LiveRun): Partial<RunParams> {
  const { resume, command, input } = kwargs;
  const what =
    resume !== undefined ? { resume } : command !== undefined ? { command } : { input: input ?? null };
  return { ...what, ...present('checkpoint', kwargs.checkpoint) };
}

function present<Name extends string, T>(name: Name, value: T | undefined): { readonly [N in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [N in Name]: T });
}
