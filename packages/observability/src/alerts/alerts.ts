import type { Clock, Log, SecretBox } from '@roadstead/kit';
import type { Outbox } from '@roadstead/outbound';
import type { RunSearching } from '../queries/run-search-work.ts';
import { alertKey, alertLoop } from './alert-loop.ts';
import { alertHandlers } from './alerts-routes.ts';

export interface AlertsOf {
  readonly searching: RunSearching;
  readonly clock: Clock;
  readonly log: Log;
  readonly secret_box: SecretBox;
  readonly outbox: Pick<Outbox, 'addAll' | 'wake'>;
  readonly public_url: string;
  readonly sends_mail: boolean;
}

/** Opens alerts: their routes, and the loop that evaluates them until it is disposed. */
export function openAlerts({ searching, log, ...options }: AlertsOf) {
  const context = { ...options, searching, db: searching.db };
  const loop = alertLoop(context, log).start();
  return {
    handlers: alertHandlers({ ...context, changed: (alert) => loop.wake(alertKey(alert)) }),
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  };
}
