import type { ThreadStates } from '../../threads/thread-states.ts';
import type { Threads } from '../../threads/threads.ts';
import type { RunFace } from '../runs/run-face.ts';

/** The parts of the agent server that the event-streaming protocol needs. */
export interface EventStreamFace extends RunFace {
  readonly threads: Threads;
  readonly states: ThreadStates;
}
