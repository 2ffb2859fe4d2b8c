import type { ThreadStates } from '../../threads/thread-states.ts';
import type { Threads } from '../../threads/threads.ts';
import type { RunFace } from '../runs/run-face.ts';

/** What the event-streaming protocol needs of everything else. */
export interface EventStreamFace extends RunFace {
  readonly threads: Threads;
  readonly states: ThreadStates;
}
