import { Problem } from '@roadstead/kit';
import type { DiskGuard } from '../info/disk-guard.ts';
import { USAGE_LIMIT } from '../usage/usage-rules.ts';
import { type BodyCall, readDecoded } from '../decoding/body-decoder.ts';
import { BodyRoom } from '../decoding/body-room.ts';
import type { Dialect } from './dialect-codec.ts';
import type { Ingestion } from './ingestion.ts';
import type { IntakeOutcome } from './intake-work.ts';

/**
 * Accepts a request of any dialect: reads its body, and resolves once all of it is committed. Only then is the body's
 * memory released.
 * @throws Problem `unavailable` where no memory is free now, so that clients send it again; `malformed` or `invalid`
 * where nothing of it could be stored.
 */
export type Intake = (call: BodyCall, dialect: Dialect) => Promise<IntakeOutcome>;

export function createIntake(ingestion: Pick<Ingestion, 'take'>, disk: DiskGuard): Intake {
  const room = new BodyRoom();
  const take: Intake = async ({ request, workspace_id }, dialect) => {
    await disk.requireSpace();
    using body = await readDecoded(request, room.enter(workspace_id, request.signal));
    return await ingestion.take({ ...dialect, workspace_id, bytes: body.bytes });
  };
  return (call, dialect) => take(call, dialect).catch((error: unknown) => Promise.reject(laterOr(error)));
}

/**
 * Clients give up after other refusals, though they may repeat the request. A refusal by a usage limit won't change
 * soon.
 */
function laterOr(error: unknown): unknown {
  if (!(error instanceof Problem) || error.kind !== 'limit' || error.code === USAGE_LIMIT) return error;
  const { message, hint, retry_after_s = 2 } = error;
  return new Problem('unavailable', message, {
    ...(hint === undefined ? {} : { hint }),
    retry_after_s,
    cause: error,
  });
}
