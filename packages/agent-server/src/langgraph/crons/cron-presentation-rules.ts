import { type Cron as PresentedCron, type CronCreate, CronPayload } from '@roadstead/contracts/agent-server';
import type { Cron } from '../../crons/cron.ts';

/** Crons as the LangGraph API takes and shows them. */

export function presentCron(cron: Cron): PresentedCron {
  const { principal: _owner, user, next_run_id: _drawn, payload, ...shown } = cron;
  return {
    ...shown,
    metadata: { ...cron.metadata },
    payload: { ...payload, assistant_id: cron.assistant_id },
    user_id: user?.identity ?? null,
  };
}

const payloadFields: readonly string[] = Object.keys(CronPayload.shape);

/** The part of a request that its runs are made of. */
export function payloadOf(request: CronPayload | CronCreate): CronPayload {
  const given = Object.entries(request).filter(
    ([name, value]) => payloadFields.includes(name) && value !== undefined,
  );
  return Object.fromEntries(given);
}
