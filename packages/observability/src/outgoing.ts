import type { Log, SecretBox } from '@roadstead/kit';
import { type GuardedFetch, type Mailer, openOutbox, type Outbox } from '@roadstead/outbound';
import type { Database } from '@roadstead/postgres';
import { isNotice, locateNotice, recordNotice } from './alerts/alert-notice-work.ts';
import { locateCall, recordVerdict } from './rules/rule-webhook-work.ts';

interface OutgoingOf {
  readonly db: Database;
  readonly log: Log;
  readonly secret_box: SecretBox;
  readonly outbound: GuardedFetch;
  readonly mailer: Mailer | undefined;
}

/** Opens the outbox of what rules and alerts send. */
export function openOutgoing({ db, log, secret_box: box, outbound, mailer }: OutgoingOf): Outbox {
  return openOutbox({
    db,
    schema: 'traces',
    locate: async (destination) =>
      isNotice(destination)
        ? locateNotice({ db, box, mailer }, destination)
        : locateCall({ db, box }, destination),
    onVerdict: async (tx, message, verdict) =>
      isNotice(message.destination)
        ? recordNotice(tx, message, verdict)
        : recordVerdict(tx, message, verdict),
    fetch: outbound,
    log,
  });
}
