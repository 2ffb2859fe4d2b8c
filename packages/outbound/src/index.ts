export { type AddressGuard, createAddressGuard } from './address-guard.ts';
export { type AllowedHosts, allowedHostsSetting, parseAllowedHosts } from './allowed-hosts.ts';
export { attemptCall, type Call } from './attempt.ts';
export { ConnectProxy, type Pass, type PassTrouble } from './connect-proxy.ts';
export {
  type CheckingFetch,
  createGuardedFetch,
  createGuardedStream,
  type GuardedFetch,
  type GuardedFetchOptions,
} from './guarded-fetch.ts';
export { outboxDueMigration, outboxMigration, outboxOwnersMigration } from './outbox-migrations.ts';
export type { DueMessage, OutboxMessage } from './outbox-store.ts';
export { createMailer, type Mail, type Mailer, type MailServer } from './mailer.ts';
export { mailServerOf, smtpSettings } from './smtp-settings.ts';
export {
  type Destination,
  openOutbox,
  type Outbox,
  type OutboxOptions,
  type Receiver,
  type SentMessage,
} from './outbox.ts';
export { type AttemptResult, judgeAttempt, type Verdict } from './retry-rules.ts';
export { signWebhook } from './webhook-signature.ts';
