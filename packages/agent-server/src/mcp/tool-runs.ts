import { uuidv7 } from '@roadstead/kit';
import { callerOf } from '../access/access.ts';
import type { AccessRules } from '../access/caller.ts';
import type { Run } from '../runs/run.ts';
import type { Runs } from '../runs/runs.ts';
import type { McpCall } from './mcp-routes.ts';
import type { ToolAssistant } from './tool-rules.ts';

export interface ToolRun {
  readonly assistant: ToolAssistant;
  readonly input: unknown;
}

/** Creates the run of a tool, if its caller may: on a thread of its own, which goes with it. */
export async function startToolRun(
  { access, runs }: { readonly access: AccessRules; readonly runs: Pick<Runs, 'create'> },
  { call, assistant, input }: ToolRun & { readonly call: Pick<McpCall, 'principal' | 'request'> },
): Promise<Run> {
  const caller = callerOf(call.principal);
  const { assistant_id, graph_id } = assistant;
  const run_id = uuidv7();
  const { value } = await access.authorize(caller, {
    resource: 'threads',
    action: 'create_run',
    value: {
      thread_id: null,
      assistant_id,
      run_id,
      status: 'pending',
      metadata: {},
      prevent_insert_if_inflight: false,
      multitask_strategy: 'enqueue',
      if_not_exists: 'create',
      after_seconds: 0,
      kwargs: { input },
    },
  });
  const metadata = { ...(value['metadata'] as object | null) };
  return runs.create({
    run_id,
    thread: {
      thread_id: uuidv7(),
      create: { metadata: { ...metadata, graph_id, assistant_id }, temporary: true },
    },
    assistant_id,
    graph_id,
    principal: caller.principal,
    ...(caller.user === null ? {} : { user: caller.user }),
    kwargs: { input, temporary: true },
    metadata,
    multitask_strategy: 'enqueue',
    chunks: false,
    plain: false,
    values: true,
    traceparent: call.request.headers.get('traceparent') ?? undefined,
  });
}
