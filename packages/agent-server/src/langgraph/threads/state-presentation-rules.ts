import type { ThreadState } from '@roadstead/contracts/host';

interface PresentedState extends ThreadState {
  readonly checkpoint_id: string | null;
  readonly parent_checkpoint_id: string | null;
}

/** A state as clients of the LangGraph API read it: older ones look for the ids beside the checkpoints. Pure. */
export function presentState(state: ThreadState): PresentedState {
  return {
    ...state,
    tasks: state.tasks.map((task) => ({
      ...task,
      state: task.state ? presentState(task.state) : null,
    })),
    checkpoint_id: state.checkpoint?.checkpoint_id ?? null,
    parent_checkpoint_id: state.parent_checkpoint?.checkpoint_id ?? null,
  };
}
