import type { Run } from '../../runs/run.ts';

type ShownRun = Pick<
  Run,
  | 'run_id'
  | 'thread_id'
  | 'assistant_id'
  | 'created_at'
  | 'updated_at'
  | 'status'
  | 'metadata'
  | 'multitask_strategy'
> & { readonly kwargs: Readonly<Record<string, unknown>>; readonly langsmith_session_name: string | null };

/**
 * A run as the LangGraph API shows it.
 * @param project that the deployment itself traces to; null where it doesn't trace
 */
export function presentRun(run: Run, project: string | null): ShownRun {
  const { run_id, thread_id, assistant_id, graph_id, kwargs } = run;
  const metadata = { ...run.metadata, graph_id, assistant_id };
  const { config, configured: _configured, stream_subgraphs, stream_resumable, resume, ...asked } = kwargs;
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
      context: asked.context ?? {},
      // A run whose end alone is awaited streams nothing and answers its last values.
      ...(asked.stream_mode?.length === 0 ? { stream_mode: ['values'] } : {}),
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
    langsmith_session_name: project === null ? null : (kwargs.langsmith_tracer?.project_name ?? project),
  };
}
