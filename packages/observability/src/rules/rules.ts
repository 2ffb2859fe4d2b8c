import type { Clock, Log, SecretBox } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { Outbox } from '@roadstead/outbound';
import type { ExampleContext } from '../examples/example-context.ts';
import type { RunReader } from '../reading/run-reader-work.ts';
import { createRuleActions } from './rule-actions-work.ts';
import { ruleLoop } from './rule-loop.ts';
import { ruleHandlers } from './rules-routes.ts';

export interface RulesOf {
  readonly db: Database;
  readonly log: Log;
  readonly clock: Clock;
  readonly secret_box: SecretBox;
  /** Sends the calls of webhooks. */
  readonly outbox: Pick<Outbox, 'add'>;
  readonly examples: ExampleContext;
  readonly reader: RunReader;
}

/** Opens rules: their routes, and the loop that acts on runs until it is disposed. */
export function openRules({ db, log, clock, secret_box, outbox, examples, reader }: RulesOf) {
  const actions = createRuleActions({ clock, examples, reader, outbox });
  const loop = ruleLoop({ db, log, actions }).start();
  return {
    handlers: ruleHandlers({ db, secret_box }),
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  };
}
