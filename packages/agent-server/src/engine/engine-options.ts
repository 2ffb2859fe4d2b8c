import type { HostError, RunResult, RunParams } from '@roadstead/contracts/host';
import type { Database, Log } from '@roadstead/kit';
import type { RunRow } from './records.ts';
import type { RoomLimits } from './room.ts';

export interface EngineOptions {
  readonly db: Database;
  readonly runOnHost: (revision_id: string, params: RunParams) => Promise<RunResult>;
  /** Throws a Problem while no run could be given to a host. */
  readonly requireRunnable?: () => void;
  readonly mask: (text: string) => string;
  /** For the deployment's log: what the graph of a run threw, unmasked. */
  readonly onFailure?: (run: RunRow, error: HostError) => void;
  /** Whether callers may read what a graph threw; not unless said. */
  readonly expose_errors?: boolean;
  readonly log: Log;
  /** How much may be unfinished at a time. */
  readonly limits?: RoomLimits;
}
