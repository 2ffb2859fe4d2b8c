import type { RunResult } from '@roadstead/contracts/host';

/** The run goes on elsewhere, since something else holds up the event loop of its host. */
export const MOVED = { outcome: 'moved' } as const;

/** How an attempt ends for the engine: as its host says, or moved away from it. */
export type AttemptResult = RunResult | typeof MOVED;
