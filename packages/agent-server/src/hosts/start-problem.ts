import { RemoteError } from '@roadstead/contracts/host-peer';
import { Problem } from '@roadstead/kit';

/** Why a revision did not start, as it may be shown: a host tells what can be done, too. */
export function startProblem(error: unknown, mask: (text: string) => string): Problem {
  if (error instanceof Problem) return error;
  const hint = error instanceof RemoteError ? error.hint : undefined;
  return new Problem('invalid', mask(error instanceof Error ? error.message : String(error)), {
    cause: error,
    ...(hint === undefined ? {} : { hint: mask(hint) }),
  });
}
