import { randomUUID } from 'node:crypto';
import {
  type Bound,
  keepRenewing,
  type Log,
  Loop,
  type PassResult,
  receiverOf,
  settled,
} from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import { attemptCall } from './attempt.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import { type ClaimedMessage, type DueMessage, type OutboxMessage, OutboxStore } from './outbox-store.ts';
import { type AttemptResult, judgeAttempt, type Verdict } from './retry-rules.ts';

/** The receiver of a message, looked up when it is sent. */
export interface Destination {
  readonly url: string;
  /** `whsec_…`; more than one during a rotation. */
  readonly secrets: readonly string[];
  /** Additional headers; those of the signature take precedence. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The `webhook-id`, instead of the message's own, for something that other receivers are sent as well. */
  readonly message_id?: string | undefined;
}

/** The receiver of a message that is not a call over HTTP, such as a mail. */
interface SendingReceiver {
  /** Sends a message once. Throws only where the signal is aborted. */
  readonly send: (message: SingleMessage, signal: AbortSignal) => Promise<AttemptResult>;
}

/** A message of the outbox; its id is the same each time it is sent. */
interface SingleMessage {
  readonly id: string;
  readonly body: string;
}

export type Receiver = Destination | SendingReceiver;

/** A message, and the owner that it counts for. */
export interface SentMessage extends OutboxMessage {
  readonly workspace_id: string;
  /** The receiving address: messages to one host take turns with those to others. */
  readonly url: string;
}

export interface OutboxOptions {
  readonly db: Database;
  /** The schema in which the migrations of an outbox were applied. */
  readonly schema: string;
  /** Undefined when it is no longer wanted. */
  readonly locate: (destination: string) => Promise<Receiver | undefined>;
  readonly fetch: GuardedFetch;
  readonly log: Log;
  /** Called with the verdict on each attempt, in the transaction that records it. */
  readonly onVerdict?: (tx: Transaction, message: OutboxMessage, verdict: Verdict) => Promise<void>;
  /** Messages that are sent at once. */
  readonly senders?: number;
  /** How often it looks for what is due; 5,000 by default. */
  readonly resync_ms?: number;
  readonly random?: () => number;
}

export interface Outbox extends AsyncDisposable {
  /** Adds a message in the transaction that makes it true, so that both are committed or neither. */
  add(tx: Transaction, message: SentMessage): Promise<DueMessage>;
  /** The same for many, by one statement. */
  addAll(tx: Transaction, messages: readonly SentMessage[]): Promise<DueMessage[]>;
  /** Called after the commit, so that the message need not wait for the next poll. */
  wake(message: DueMessage): void;
}

/** Half of the places are for one workspace, and half of these for one receiver: a slow one delays nobody else. */
const messageBound: Bound<string> = { size: 32, owner: (key) => key.split(' ').slice(1) };

/** A claim is renewed while its message is being sent; that of a process that died runs out. */
const CLAIM_S = 15;
const RENEWAL_MS = 5000;
const LISTED = 100;
const KEPT_DAYS = 30;

/**
 * Sends messages until they are accepted, at least once each: if a process dies between the answer and its record,
 * the message is sent again with the same `webhook-id`. A message that is never accepted is dead after some days.
 */
export function openOutbox(options: OutboxOptions): Outbox {
  const store = new OutboxStore(options.db, options.schema);
  const loop = new Loop({
    name: `outbox ${options.schema}`,
    log: options.log,
    concurrency: options.senders ?? messageBound.size,
    owner: messageBound.owner,
    list: async (isBusy) => {
      await store.forgetEnded(KEPT_DAYS);
      const { due, has_more } = await store.listDue(LISTED, isBusy);
      return { keys: due.map(keyOf), has_more };
    },
    reconcile: (key, signal) => deliver(idOf(key), store, { ...options, signal }),
    ...(options.resync_ms === undefined ? {} : { resync_ms: options.resync_ms }),
  }).start();
  const addAll: Outbox['addAll'] = (tx, messages) =>
    store.insert(
      tx,
      messages.map(({ url, ...message }) => ({ ...message, receiver: receiverOf(url) })),
    );
  return {
    add: async (tx, message) => {
      const [added] = await addAll(tx, [message]);
      if (added === undefined) throw new Error('A message was not added.');
      return added;
    },
    addAll,
    wake: (message) => loop.wake(keyOf(message)),
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  };
}

const keyOf = ({ id, workspace_id, receiver }: DueMessage) => `${id} ${workspace_id} ${receiver}`;
const idOf = (key: string) => key.split(' ', 1)[0] ?? '';

type Delivery = OutboxOptions & { readonly signal: AbortSignal };

async function deliver(id: string, store: OutboxStore, options: Delivery): Promise<PassResult> {
  const message = await store.claim(id, { claim: randomUUID(), for_s: CLAIM_S });
  if (message === undefined) return settled;
  const { attempts } = message;
  await using renewal = keepRenewing(() => store.renew(message, CLAIM_S), { every_ms: RENEWAL_MS });
  const random = (options.random ?? Math.random)();
  const verdict = judgeAttempt(await attempt(message, options), { attempts, random });
  // A renewal after the record would put off the next attempt.
  await renewal[Symbol.asyncDispose]();
  const { onVerdict } = options;
  await store.record(message, verdict, { follow: onVerdict && ((tx) => onVerdict(tx, message, verdict)) });
  if (verdict.state === 'dead')
    options.log.warn('a message is given up', { id, attempts, error: verdict.error });
  return settled;
}

async function attempt({ id, destination, body }: ClaimedMessage, options: Delivery): Promise<AttemptResult> {
  const found = await options.locate(destination);
  if (found === undefined) return { kind: 'failed', is_refused: true, message: 'its destination is gone' };
  if ('send' in found) return found.send({ id, body }, options.signal);
  const { url, secrets, headers, message_id = id } = found;
  // We are stopping: the next process sends it, once the claim has expired.
  return attemptCall(options.fetch, { url, secrets, headers, body, id: message_id }, options.signal);
}
