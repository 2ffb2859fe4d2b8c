import type { Clock, Database } from '@roadstead/kit';
import type { Digest } from '../digest/digest-loop.ts';

/** The context of the routes of projects. */
export interface SessionContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly digest: Pick<Digest, 'caughtUp'>;
  /** Called with a project whose runs are to be removed. */
  readonly removed: (workspace_id: string, session_id: string) => void;
}
