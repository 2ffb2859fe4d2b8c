import type { Run } from '../../runs/run.ts';

/** A run as the LangGraph API shows it. */
export function presentRun(run: Run): Readonly<Record<string, unknown>> {
  const { run_id, thread_id, assistant_id, graph_id, metadata, kwargs } = run;
  const { config, stream_subgraphs, stream_resumable, resume, ...asked } = kwargs;
  return {
    run_id,
    thread_id,
    assistant_id,
    created_at: run.created_at,
    updated_at: run.updated_at,
    status: run.status,
    metadata,
    kwargs: {
      ...asked,
      ...(resume === undefined ? {} : { command: { resume: resume.value } }),
      config: {
        ...config,
        configurable: { ...config?.configurable, run_id, thread_id, graph_id, assistant_id },
        metadata,
      },
      subgraphs: stream_subgraphs ?? false,
      resumable: stream_resumable ?? false,
      temporary: kwargs.temporary ?? false,
    },
    multitask_strategy: run.multitask_strategy,
  };
}

/** Only the fields that the caller wants. */
export function selectFields<T extends Readonly<Record<string, unknown>>>(
  value: T,
  fields: readonly string[] | undefined,
): Partial<T> {
  if (fields === undefined || fields.length === 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => fields.includes(name))) as Partial<T>;
}
