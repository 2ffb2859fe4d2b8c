import { type Cron as PresentedCron, type CronCreate, CronPayload } from '@roadstead/contracts/agent-server';
import type { Cron } from '../../crons/cron.ts';
import { canonicalText } from '../../json/json-text.ts';

/** Translates crons from and to the LangGraph API. */

export function presentCron(cron: Cron): PresentedCron {
  const { principal: _owner, user, next_run_id: _drawn, marks: _marks, payload, ...shown } = cron;
  return {
    ...shown,
    // The thread that was there before its runs outlives them.
    on_run_completed: cron.thread_id === null ? cron.on_run_completed : null,
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

type Fields = Readonly<Record<string, unknown>>;

/** The fields that were added to metadata, or changed in it. */
export function marksOf(given: Fields, marked: Fields): Fields {
  const isNew = ([name, value]: readonly [string, unknown]) =>
    !Object.hasOwn(given, name) || canonicalText(given[name]) !== canonicalText(value);
  return Object.fromEntries(Object.entries(marked).filter(isNew));
}
