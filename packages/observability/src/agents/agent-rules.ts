import type { Agent, agentEnvironments } from '@roadstead/contracts/observability';
import type { AgentRow } from './agent-row.ts';

/** The tracing project of an agent's environment. */
export const projectNameOf = (agent_id: string, environment: string): string =>
  `${agent_id}/${environment.toLowerCase()}`;

/** @param with_bindings adds that no environment is bound to a runtime: deployments name their projects themselves. */
export function agentAnswer(row: AgentRow, { with_bindings }: { readonly with_bindings: boolean }): Agent {
  const { workspace_id: _workspace, sessions, environments, ...agent } = row;
  return {
    ...agent,
    environments: environments.flatMap((environment) => {
      const name = projectNameOf(row.id, environment);
      const session_id = sessions[name];
      if (session_id === undefined) return [];
      return {
        id: session_id,
        agent_id: row.id,
        environment: environment as (typeof agentEnvironments)[number],
        tracer_session_id: session_id,
        tracer_session_name: name,
        ...(with_bindings ? { runtime_bindings: [] } : {}),
      };
    }),
  };
}
