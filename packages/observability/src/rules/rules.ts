import type { Clock, Log, SecretBox } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { type GuardedFetch, openOutbox } from '@roadstead/outbound';
import type { ExampleContext } from '../examples/example-context.ts';
import type { RunReader } from '../reading/run-reader-work.ts';
import { createRuleActions } from './rule-actions-work.ts';
import { ruleLoop } from './rule-loop.ts';
import { ruleHandlers } from './rules-routes.ts';
import { locateCall, recordVerdict } from './rule-webhook-work.ts';

export interface RulesOf {
  readonly db: Database;
  readonly log: Log;
  readonly clock: Clock;
  readonly secret_box: SecretBox;
  /** Reaches the addresses of webhooks. */
  readonly outbound: GuardedFetch;
  readonly examples: ExampleContext;
  readonly reader: RunReader;
}

/** Opens rules: their routes, and the loop that acts on runs until it is disposed. */
export function openRules({ db, log, clock, secret_box, outbound, examples, reader }: RulesOf) {
  const outbox = openOutbox({
    db,
    schema: 'traces',
    locate: (destination) => locateCall({ db, box: secret_box }, destination),
    onVerdict: recordVerdict,
    fetch: outbound,
    log,
  });
  const actions = createRuleActions({ clock, examples, reader, outbox });
  const loop = ruleLoop({ db, log, actions }).start();
  return {
    handlers: ruleHandlers({ db, secret_box }),
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      await outbox[Symbol.asyncDispose]();
    },
  };
}
