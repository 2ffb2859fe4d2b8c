import type { RunnableConfig } from '../values/langgraph-types.ts';
import { checkpointOf, subgraphCheckpoint } from '../graphs/state-rules.ts';

/** LangGraph's debug parts as the LangGraph API shows them. Pure. */

type Fields = Readonly<Record<string, unknown>>;

/** A checkpoint with its tasks, and without what LangGraph keeps in its configuration for itself. */
export function shownCheckpoint({ config, parentConfig, tasks, ...rest }: Fields): Fields {
  return {
    ...rest,
    config: shownConfig(config),
    parent_config: shownConfig(parentConfig),
    checkpoint: checkpointOf(config as RunnableConfig | undefined),
    parent_checkpoint: checkpointOf(parentConfig as RunnableConfig | undefined),
    tasks: (tasks as readonly Fields[]).map(shownTask),
  };
}

/** Describes a checkpoint and its place, without its state. */
export function checkpointMark({ config, parentConfig, metadata }: Fields): Fields {
  const { step, source } = (metadata ?? {}) as Fields;
  const parent = checkpointOf(parentConfig as RunnableConfig | undefined);
  return {
    id: checkpointOf(config as RunnableConfig | undefined)?.checkpoint_id,
    ...(parent === null ? {} : { parent_id: parent.checkpoint_id }),
    step,
    source,
  };
}

/** A task of which the state is a place names its checkpoint instead. */
export function shownTask(task: Fields): Fields {
  const { state, ...rest } = task;
  if (typeof state !== 'object' || state === null || !('configurable' in state)) return task;
  return { ...rest, checkpoint: subgraphCheckpoint(state as RunnableConfig) };
}

const PRIVATE = ['__', 'langgraph_auth_'];

/**
 * Leaves out names with `__`, which LangGraph hands down to itself, what `auth` says of the user, and callbacks, which hold
 * the user's tracers.
 */
function shownConfig(config: unknown): Fields | undefined {
  if (typeof config !== 'object' || config === null) return undefined;
  const { configurable, callbacks: _callbacks, ...rest } = config as Fields;
  const own = Object.entries((configurable ?? {}) as Fields).filter(
    ([name]) => !PRIVATE.some((prefix) => name.startsWith(prefix)),
  );
  return { ...rest, configurable: Object.fromEntries(own) };
}
