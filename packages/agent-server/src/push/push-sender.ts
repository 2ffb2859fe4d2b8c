import { Admission, type Bound, receiverOf, type SecretBox } from '@roadstead/kit';
import { attemptCall, type GuardedFetch, judgeAttempt, type Verdict } from '@roadstead/outbound';
import type { JsonText } from '../json/json-text.ts';
import type { OpenPush, PushConfig, PushSecrets } from './push-config.ts';
import { headersOf } from './push-rules.ts';

/** A notification, named by its event. */
export interface Notification {
  readonly text: JsonText;
  readonly content_type: string;
  readonly seq: number;
  /** The last event that it covers. */
  readonly covers_to: number;
}

/**
 * Bounds the notifications that one deployment sends at a time: each holds a connection, and a receiver may take ten
 * seconds. Half of them are for one caller, and half of these for one receiver.
 */
const pushBound: Bound<Pick<OpenPush, 'owner' | 'url'>> = {
  size: 64,
  owner: ({ owner, url }) => [owner.principal, receiverOf(url)],
};

interface PushAttempt {
  readonly notification: Notification;
  readonly counted: { readonly attempts: number; readonly random: number };
  readonly signal: AbortSignal;
}

/** Sends a bounded number of notifications at a time; callers and their receivers take turns. */
export class PushSender {
  readonly #fetch: GuardedFetch;
  readonly #box: SecretBox;
  readonly #places = new Admission(pushBound);

  constructor({ fetch, box }: { readonly fetch: GuardedFetch; readonly box: SecretBox }) {
    this.#fetch = fetch;
    this.#box = box;
  }

  /** Throws only where the signal is aborted. */
  async send(push: OpenPush, { notification, counted, signal }: PushAttempt): Promise<Verdict> {
    using _place = await this.#places.take(pushBound.owner(push), signal);
    const { text, content_type, seq } = notification;
    const { task_id, url } = push;
    const body = typeof text === 'string' ? text : Buffer.concat(text);
    const headers = headersOf(this.#secretsOf(push), push);
    const call = { url, id: `${task_id}.${seq}`, body, content_type, ...headers };
    return judgeAttempt(await attemptCall(this.#fetch, call, signal), counted);
  }

  #secretsOf(push: OpenPush): PushSecrets {
    return push.secrets === null
      ? {}
      : (JSON.parse(this.#box.open(push.secrets, rowOf(push))) as PushSecrets);
  }
}

type Key = Pick<PushConfig, 'task_id' | 'config_id'>;
const rowOf = ({ task_id, config_id }: Key) => `push:${task_id}:${config_id}`;

/** Null where there are none. */
export function sealSecrets(box: SecretBox, key: Key, { token, credentials }: PushSecrets): string | null {
  if (token === undefined && credentials === undefined) return null;
  return box.seal(JSON.stringify({ token, credentials } satisfies PushSecrets), rowOf(key));
}
