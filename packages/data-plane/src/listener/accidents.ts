import { ApiError } from '@roadstead/contracts';
import { isOutage, Problem } from '@roadstead/kit';
import { EngineAway } from '../images/engine-away.ts';
import { SourceAway } from '../ports/source-away.ts';
import { TookTooLong } from '../steps/steps.ts';

/** How often an error that is not a refusal is tried again. */
const MAX_TRIES = 6;
const MAX_MS = 600_000;
/** How long the host of a source may be away. */
const MAX_AWAY_MS = 120_000;

/** The meaning of an error of the operating system, for people. */
const meanings: Readonly<Record<string, string>> = {
  EACCES: 'a file may not be read or written (EACCES)',
  EDQUOT: 'the disk quota is used up (EDQUOT)',
  EMFILE: 'too many files are open (EMFILE)',
  ENOSPC: 'no space is left on the disk (ENOSPC)',
  EPERM: 'a file may not be read or written (EPERM)',
  EROFS: 'the disk is read-only (EROFS)',
};

/** The lease has another holder: we ask for it again. */
const isStale = (error: unknown) => error instanceof ApiError && error.status === 409;

/** Whether the control plane refused a report: sending it again changes nothing. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 400 || error.status === 422);
}

/** Counts the accidents on the way to one target: after several retries an accident is a failure like any other. */
export class Accidents {
  #target: string | undefined;
  #count = 0;
  #since = 0;

  /** The failure that an error amounts to; undefined while a retry is worthwhile. */
  failureBy(error: unknown, target: string, now = performance.now()): Problem | undefined {
    if (error instanceof Problem) return error;
    if (error instanceof EngineAway) return undefined;
    const isAway = error instanceof SourceAway;
    if (!isAway && (isOutage(error) || isStale(error))) return undefined;
    if (this.#target !== target) {
      this.#target = target;
      this.#count = 0;
      this.#since = now;
    }
    this.#count += 1;
    const took_ms = now - this.#since;
    if (isAway) return took_ms < MAX_AWAY_MS ? undefined : stillAway(error.problem, this.#count);
    if (this.#count < MAX_TRIES && took_ms < MAX_MS) return undefined;
    return new Problem('internal', `It was tried ${this.#count} times, and each time ${meaningOf(error)}.`, {
      cause: error,
      code: 'data_plane_error',
      hint: 'See the log of the data plane. Deploy again when this is repaired.',
    });
  }
}

const stillAway = ({ kind, message, code }: Problem, tries: number): Problem =>
  new Problem(kind, `It was tried ${tries} times. ${message}`, {
    ...(code === undefined ? {} : { code }),
    hint: 'Deploy again when it is back.',
  });

/** Leaves out paths of this machine, which mean nothing to a caller. */
function meaningOf(error: unknown): string {
  if (error instanceof ApiError) return `the control plane answered ${error.status}`;
  if (error instanceof TookTooLong) return error.message;
  const { code = '' } = error as NodeJS.ErrnoException;
  return meanings[code] ?? 'something unexpected went wrong in the data plane';
}
