/** When graph hosts that keep ending are started more slowly, and what is said of it. Pure. */

/** A host that ended by itself, or had to be ended. */
export interface HostExit {
  readonly at_ms: number;
  readonly out_of_memory: boolean;
}

export interface CrashLimits {
  /** So many exits... */
  readonly exits: number;
  /** ...within so long are a crash loop. */
  readonly within_ms: number;
  /** Between two starts while it lasts. */
  readonly pause_ms: number;
}

export const CRASH_LIMITS: CrashLimits = { exits: 5, within_ms: 300_000, pause_ms: 60_000 };

/** The trouble of the serving revision: with its hosts, or with the room in the deployment's database. */
export interface Trouble {
  readonly code: 'crash_loop' | 'out_of_memory' | 'database_filling' | 'database_full';
  readonly message: string;
  readonly hint: string;
}

export const recentExits = (
  exits: readonly HostExit[],
  now: number,
  { within_ms }: CrashLimits,
): HostExit[] => exits.filter(({ at_ms }) => now - at_ms < within_ms);

/** How long no host may be started, of recent exits and the last start; 0 where one may be at once. */
export function waitBeforeStart(
  recent: readonly HostExit[],
  { last_start_ms, now, limits }: { last_start_ms: number; now: number; limits: CrashLimits },
): number {
  if (!isCrashLoop(recent, limits)) return 0;
  return Math.max(0, last_start_ms + limits.pause_ms - now);
}

const isCrashLoop = (recent: readonly HostExit[], { exits }: CrashLimits): boolean => recent.length >= exits;

interface TroubledHosts {
  readonly limits: CrashLimits;
  readonly memory_mb: number;
  /** The word for its hosts. */
  readonly what?: string | undefined;
  /** The field of a `resource_spec` that sets their memory, where one does. */
  readonly own_limit?: string | undefined;
}

/** Undefined while all is well: a host that ends now and then is not worth a word, unless it was for its memory. */
export function troubleOf(
  recent: readonly HostExit[],
  { limits, memory_mb, what = 'graph host', own_limit }: TroubledHosts,
): Trouble | undefined {
  const without_memory = recent.filter(({ out_of_memory }) => out_of_memory).length;
  const is_loop = isCrashLoop(recent, limits);
  if (!is_loop && without_memory === 0) return undefined;
  const code = without_memory * 2 > recent.length || !is_loop ? 'out_of_memory' : 'crash_loop';
  const times = recent.length === 1 ? 'once' : `${recent.length} times`;
  const done =
    code === 'out_of_memory' ? `took more than ${memory_mb} MB of memory and ended` : 'ended by itself';
  const rest = is_loop ? ` It is started once in ${limits.pause_ms / 1000} s as long as that goes on.` : '';
  return {
    code,
    message: `The ${what} ${done}, ${times} within ${limits.within_ms / 60_000} minutes.${rest}`,
    hint:
      code === 'out_of_memory'
        ? `${limitedBy(own_limit)} The log of the deployment may say what took it.`
        : 'The log of the deployment says why it ended. Deploy a revision that mends it: it is started at once.',
  };
}

const limitedBy = (own_limit: string | undefined) =>
  own_limit === undefined
    ? 'The operator of this platform sets the limit, by ROADSTEAD_HOST_MEMORY_MB.'
    : `The limit is ${own_limit} of the resource_spec.`;
