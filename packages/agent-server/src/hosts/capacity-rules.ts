import type { HostLoad } from '@roadstead/contracts/host';
import { MANY_RUNS } from '@roadstead/contracts/host-peer';

/** Whether a host takes another run: that follows from what it does, not from a number. Pure. */

/** The facts about a host that the rule needs. */
export interface HostWork {
  /** Runs that it was given and that have not ended. */
  readonly runs: number;
  /** How many of these have not begun. */
  readonly unaccepted: number;
  /** Its last report of its own load, if it has sent one. */
  readonly load: HostLoad | undefined;
  /** How long ago that was. */
  readonly load_age_ms: number;
}

export interface CapacityLimits {
  /** An upper bound, no matter what hosts do. */
  readonly jobs_per_host: number;
  readonly memory_mb: number;
}

/** Runs that wait in a host to begin: so many keep it at work, and no more have to be moved where it stops. */
export const MAX_UNACCEPTED = 8;
/** So many runs a host takes even while it computes: most of them wait for the database now and then. */
export const FEW_RUNS = 10;
/** An event loop that is later lets the tokens of all its runs wait. */
const MAX_LATE_MS = 100;
/** A host that is at work without a pause has no processor time left. */
const MAX_BUSY = 0.95;
/** The share of the heap, and of the memory that it may have, that may be in use; the rest is for what its runs become. */
const MAX_MEMORY = 0.75;
/** It says how it is every 100 ms: one that has not for so long is late itself. */
const MAX_AGE_MS = 500;

/** A host that has few runs takes one. One that has many does while its loop is on time, and processor and memory are left. */
export function takesMore(host: HostWork, limits: CapacityLimits): boolean {
  const { runs, unaccepted, load, load_age_ms } = host;
  if (runs >= limits.jobs_per_host || unaccepted >= MAX_UNACCEPTED) return false;
  // With fewer runs it says nothing more of itself: what it said before would never be taken back.
  const tells = runs >= MANY_RUNS && load_age_ms <= MAX_AGE_MS;
  const now = tells ? load : undefined;
  if (now !== undefined && memoryShare(now, limits) > MAX_MEMORY) return false;
  return runs < FEW_RUNS || (now !== undefined && now.late_ms <= MAX_LATE_MS && now.busy <= MAX_BUSY);
}

const memoryShare = ({ heap, resident_bytes }: HostLoad, { memory_mb }: CapacityLimits) =>
  Math.max(heap, resident_bytes / (memory_mb * 1_048_576));

/**
 * How many runs a host takes at most after one with so many ended for what one of them did: few enough that only few
 * are tried alone if it happens again.
 */
export function mostAfterDeath(runs: number): number {
  return Math.max(FEW_RUNS, Math.floor(Math.sqrt(runs)));
}
