import type { Manifest } from '@roadstead/contracts/host';
import type { ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import type { Log } from '@roadstead/kit';
import type { AccessRules } from '../access/caller.ts';
import type { Runs } from '../runs/runs.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';
import { createMcpHandlers } from './mcp-routes.ts';
import { startToolRun } from './tool-runs.ts';

export interface McpFaceOptions {
  /** Of the deployment. */
  readonly name: string;
  readonly engine: Pick<TaskEngine, 'assistants'>;
  readonly access: AccessRules;
  readonly runs: Runs;
  /** What serves. */
  readonly active: () =>
    | {
        readonly revision_id: string;
        readonly project: ProjectGraphs;
        readonly manifest: Manifest | undefined;
      }
    | undefined;
  readonly log?: Log;
}

/** MCP over the assistants of what serves, by the engine's runs. */
export function createMcpFace({ name, engine, access, runs, active, log }: McpFaceOptions) {
  return createMcpHandlers({
    name,
    disabled: () => active()?.project.http.disable_mcp === true,
    graphs: () => active()?.manifest?.graphs ?? [],
    revision_id: () => active()?.revision_id,
    assistants: async () =>
      engine.assistants().map(({ assistant_id, graph: { graph_id } }) => ({
        assistant_id,
        graph_id,
        name: graph_id,
        description: null,
      })),
    start: (call, run) => startToolRun({ access, runs }, { call, ...run }),
    runs,
    ...(log === undefined ? {} : { log }),
  });
}
