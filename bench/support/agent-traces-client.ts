import type { AgentRun, AgentTrace } from './agent-traces.ts';

/** Traces as clients send them. */

export const projectName = (project: number) => `project-${project}`;

/** The body of `POST /runs/batch`. */
export function batchOf(traces: readonly AgentTrace[]): string {
  return JSON.stringify({
    post: traces.flatMap((trace) => trace.runs.map((run) => sentRun(trace, run))),
    patch: [],
  });
}

function sentRun({ project, runs: [root] }: AgentTrace, run: AgentRun): object {
  return {
    id: run.id,
    trace_id: root?.id,
    parent_run_id: run.parent?.id,
    dotted_order: orderOf(run),
    name: run.name,
    run_type: run.run_type,
    session_name: projectName(project),
    start_time: new Date(run.start_ms).toISOString(),
    end_time: new Date(run.end_ms).toISOString(),
    error: run.error,
    tags: run.tags,
    inputs: run.inputs,
    outputs: run.outputs,
    events:
      run.run_type === 'llm' ? [{ name: 'new_token', time: new Date(run.start_ms + 200).toISOString() }] : [],
    extra: {
      metadata: run.metadata,
      runtime: { sdk: 'langsmith-js', sdk_version: '0.10.5', platform: 'linux' },
    },
  };
}

function orderOf(run: AgentRun): string {
  const stamp = new Date(run.start_ms).toISOString().replaceAll(/[-:.Z]/g, '');
  const own = `${stamp}000Z${run.id}`;
  return run.parent === undefined ? own : `${orderOf(run.parent)}.${own}`;
}
