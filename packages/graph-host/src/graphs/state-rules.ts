import type { CheckpointRef, RunInterrupt, ThreadState } from '@roadstead/contracts/host';
import type { Interrupt, RunnableConfig, SnapshotTask, StateSnapshot } from '../values/langgraph-types.ts';
import { interruptId } from './resumption.ts';

/** LangGraph's snapshots of a state as the LangGraph API shows them. Values stay as they are. Pure. */

type ShownCheckpoint = NonNullable<ThreadState['checkpoint']>;

export function threadState(snapshot: StateSnapshot): ThreadState {
  const { values, next, tasks = [], metadata = {}, createdAt, config, parentConfig } = snapshot;
  const exists = createdAt !== undefined;
  const shown = tasks.map(taskOf);
  // It says what the checkpoint says, and of the graph itself nothing.
  const { checkpoint_ns, ...rest } = metadata;
  return {
    values,
    next,
    tasks: shown,
    checkpoint: exists ? checkpointOf(config) : null,
    parent_checkpoint: exists ? checkpointOf(parentConfig) : null,
    metadata: checkpoint_ns === '' ? rest : metadata,
    created_at: createdAt ?? null,
    interrupts: shown.flatMap((task) => task.interrupts),
  };
}

function taskOf({
  id,
  name,
  path,
  error,
  interrupts,
  state,
  result,
}: SnapshotTask): ThreadState['tasks'][number] {
  return {
    id,
    name,
    ...(path === undefined ? {} : { path }),
    error: error === undefined || error === null ? null : messageOf(error),
    interrupts: (interrupts ?? []).map(shownInterrupt),
    checkpoint: state !== undefined && 'configurable' in state ? subgraphCheckpoint(state) : null,
    state: state !== undefined && 'values' in state ? threadState(state) : null,
    result: result ?? null,
  };
}

/** Versions that know no ids tell questions apart by their place. */
function shownInterrupt(one: Interrupt, at: number): RunInterrupt {
  const { value, response_schema } = one;
  return {
    id: interruptId(one) ?? String(at),
    value,
    ...(response_schema === undefined ? {} : { response_schema }),
  };
}

function messageOf(error: unknown): string {
  const { message } = error as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
}

/** Null where a configuration names no checkpoint. */
export function checkpointOf(config: RunnableConfig | undefined): ShownCheckpoint | null {
  const { thread_id, checkpoint_id } = config?.configurable ?? {};
  if (typeof thread_id !== 'string' || typeof checkpoint_id !== 'string') return null;
  return { ...placeOf(config?.configurable), thread_id, checkpoint_id };
}

/** Where the newest state of a task's subgraph is found. */
export function subgraphCheckpoint({ configurable }: RunnableConfig): CheckpointRef | null {
  const { thread_id, checkpoint_id } = configurable ?? {};
  if (typeof thread_id !== 'string') return null;
  const place = {
    ...placeOf(configurable),
    thread_id,
    checkpoint_id: typeof checkpoint_id === 'string' ? checkpoint_id : null,
  };
  return place;
}

/** A place is named by texts; the metadata of a checkpoint, which LangGraph copies here, may hold anything. */
function textsOf(map: unknown): Readonly<Record<string, string>> | null {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return null;
  return Object.fromEntries(
    Object.entries(map).filter((one): one is [string, string] => typeof one[1] === 'string'),
  );
}

function placeOf(configurable: RunnableConfig['configurable'] = {}) {
  const { checkpoint_ns, checkpoint_map } = configurable;
  return {
    checkpoint_ns: typeof checkpoint_ns === 'string' ? checkpoint_ns : '',
    checkpoint_map: textsOf(checkpoint_map),
  };
}
