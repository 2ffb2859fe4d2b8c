import type { Clock } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { Digest } from '../digest/digest-loop.ts';

/** The context of the routes of projects. */
export interface SessionContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly digest: Pick<Digest, 'caughtUp'>;
  /** Called with a project whose runs are to be removed. */
  readonly removed: (workspace_id: string, session_id: string) => void;
}
