import type { Manifest } from '@roadstead/contracts/host';
import type { ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import type { Log } from '@roadstead/kit';
import type { AccessRules } from '../access/caller.ts';
import type { LangGraph } from '../langgraph/langgraph-api.ts';
import type { Runs } from '../runs/runs.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';
import { createMcpHandlers } from './mcp-routes.ts';
import { toolAssistants } from './tool-assistants.ts';

export interface McpFaceOptions {
  /** The deployment's name. */
  readonly name: string;
  readonly engine: Pick<TaskEngine, 'assistants'>;
  readonly langgraph: Pick<LangGraph, 'assistants' | 'startRun'>;
  readonly access: AccessRules;
  readonly runs: Runs;
  /** The revision that serves. */
  readonly active: () =>
    | {
        readonly revision_id: string;
        readonly project: ProjectGraphs;
        readonly manifest: Manifest | undefined;
      }
    | undefined;
  readonly log?: Log;
}

/** MCP over the assistants that are served; its runs begin like the LangGraph API's without a thread. */
export function createMcpFace({ name, engine, langgraph, access, runs, active, log }: McpFaceOptions) {
  const own = () => engine.assistants();
  const { assistants } = langgraph;
  return createMcpHandlers({
    name,
    disabled: () => active()?.project.http.disable_mcp === true,
    graphs: () => active()?.manifest?.graphs ?? [],
    revision_id: () => active()?.revision_id,
    assistants: (call) => toolAssistants({ assistants, own, access }, call),
    start: (call, { assistant_id, input }) =>
      langgraph.startRun({ ...call, access }, { request: { assistant_id, input }, wanted: 'end' }),
    runs,
    ...(log === undefined ? {} : { log }),
  });
}
