import { type CapacityLimits, type HostWork, MAX_UNACCEPTED, takesMore } from './capacity-rules.ts';

/** Which host takes a run, and whether another one may start. Pure. */

/** The facts about a host that is not stopping, as far as the rules need them. */
export interface HostState extends HostWork {
  /** A suspect runs on it, and nothing else may. */
  readonly alone: boolean;
  /** It does not answer. */
  readonly silent: boolean;
  /** It has not loaded its graphs yet. */
  readonly starting: boolean;
}

export interface HostLimits extends CapacityLimits {
  readonly max_hosts: number;
}

/**
 * Hosts that don't answer, and those that a suspect has for itself, come on top of those that work; by this many at most, so
 * that one loop takes no deployment away and many can't start hosts without end.
 */
const SPARE = 1;

/** The least busy host with room, of those that `ableOf` leaves. When there are more than wanted, the idlest are left to run empty. */
export function roomyHost<H extends HostState>(hosts: readonly H[], limits: HostLimits): H | undefined {
  const wanted = common(hosts)
    .toSorted((one, other) => other.runs - one.runs)
    .slice(0, limits.max_hosts);
  return ableOf(wanted)
    .filter((host) => takesMore(host, limits))
    .toSorted((one, other) => one.unaccepted - other.unaccepted || one.runs - other.runs)[0];
}

/** The least busy host for something that is no run. */
export function calmHost<H extends HostState>(hosts: readonly H[]): H | undefined {
  return ableOf(common(hosts)).toSorted((one, other) => one.runs - other.runs)[0];
}

/**
 * A host that starts gets nothing while another one is ready: what waits goes to whichever has room first, and a start takes
 * longer than most runs, in a pod by far.
 */
function ableOf<H extends HostState>(hosts: readonly H[]): readonly H[] {
  const ready = hosts.filter(({ starting }) => !starting);
  return ready.length > 0 ? ready : hosts;
}

/** How many runs the hosts that start take once they are ready: for so many no other one has to start. */
export function roomToCome(hosts: readonly HostState[], { jobs_per_host }: CapacityLimits): number {
  return common(hosts)
    .filter(({ starting }) => starting)
    .reduce((sum, { unaccepted }) => sum + Math.min(MAX_UNACCEPTED, jobs_per_host) - unaccepted, 0);
}

/** Whether a run without room is a reason to start a host: at once where none works, else when it has waited a little. */
export function whenToGrow(hosts: readonly HostState[], limits: HostLimits): 'now' | 'soon' | 'never' {
  const working = common(hosts).length;
  if (!mayStart(hosts, limits) || working >= limits.max_hosts) return 'never';
  return working === 0 ? 'now' : 'soon';
}

/** Where a suspect goes: an empty host, a new one, or nowhere for now. One host is always left to the other runs. */
export function placeAlone<H extends HostState>(
  hosts: readonly H[],
  limits: HostLimits,
): { readonly host: H } | 'new' | 'wait' {
  const held = hosts.filter((host) => host.silent || host.alone).length;
  if (held >= limits.max_hosts) return 'wait';
  const host = common(hosts).find((one) => one.runs === 0);
  if (host !== undefined) return { host };
  return mayStart(hosts, limits) ? 'new' : 'wait';
}

export function mayStart(hosts: readonly HostState[], { max_hosts }: HostLimits): boolean {
  return hosts.length < max_hosts + SPARE;
}

/** Whether more hosts work than may; a host too many stops once it is empty. */
export function areTooMany(hosts: readonly HostState[], { max_hosts }: HostLimits): boolean {
  return common(hosts).length > max_hosts;
}

/** How a host ended, as far as the engine knows. */
export interface HostEnd {
  readonly silent: boolean;
  readonly out_of_memory: boolean;
  /** How it broke the protocol, where it was ended for that. */
  readonly breach: { readonly run_id: string | undefined } | undefined;
}

/** Tells which of its runs ended a host: one that is known, perhaps any, or none. */
export function faultOf(
  { silent, out_of_memory, breach }: HostEnd,
  run_ids: readonly string[],
): { readonly run_id: string } | 'any' | 'none' {
  const run_id = breach?.run_id;
  if (run_id !== undefined && run_ids.includes(run_id)) return { run_id };
  return silent || out_of_memory || breach !== undefined ? 'any' : 'none';
}

/** How many runs hosts would take at once: those that have room, and those that may be started for them. */
export function roomAtOnce(hosts: readonly HostState[], limits: HostLimits): number {
  const { max_hosts, jobs_per_host } = limits;
  const working = common(hosts);
  const there = working
    .filter((host) => takesMore(host, limits))
    .map(({ runs, unaccepted }) => Math.min(MAX_UNACCEPTED - unaccepted, jobs_per_host - runs));
  const missing = Math.max(0, max_hosts - working.length);
  const started = missing * Math.min(MAX_UNACCEPTED, jobs_per_host);
  return there.reduce((sum, room) => sum + room, started);
}

function common<H extends HostState>(hosts: readonly H[]): H[] {
  return hosts.filter((host) => !host.silent && !host.alone);
}
