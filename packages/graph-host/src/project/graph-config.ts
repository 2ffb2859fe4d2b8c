import type { AuthUser, CheckpointRef } from '@roadstead/contracts/host';
import type { CompiledGraph, LangGraphModule } from '../values/langgraph-types.ts';
import type { EngineSaver } from '../checkpoints/saver.ts';

/** The `configurable` that runs and questions about state give a graph. */

/** The names under which LangGraph's own server hands a user down. */
export const userFields = (user: AuthUser | undefined): Readonly<Record<string, unknown>> =>
  user === undefined
    ? {}
    : {
        langgraph_auth_user: user,
        langgraph_auth_user_id: user.identity,
        langgraph_auth_permissions: user.permissions,
      };

/** A checkpoint as LangGraph's configuration names it; without one the newest of the thread. */
export function checkpointFields(
  thread_id: string,
  { checkpoint_id, checkpoint_ns, checkpoint_map }: CheckpointRef = {},
): Readonly<Record<string, unknown>> {
  return {
    thread_id,
    checkpoint_ns: checkpoint_ns ?? '',
    ...(typeof checkpoint_id === 'string' ? { checkpoint_id } : {}),
    ...(checkpoint_map ? { checkpoint_map } : {}),
  };
}

/** A view of a compiled graph that has a checkpointer; the user's own stays as it is. */
export function withCheckpointer(
  compiled: CompiledGraph,
  checkpointer: EngineSaver,
  store?: object,
): CompiledGraph {
  return Object.create(compiled, {
    checkpointer: { value: checkpointer },
    ...(store === undefined ? {} : { store: { value: store } }),
  }) as CompiledGraph;
}

/** The first versions take a checkpointer from the graph itself only. */
export const takesCheckpointerFromConfig = ({ Command }: LangGraphModule): boolean => Command !== undefined;
