import type { Event } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { isOfKind } from '../events/event-rules.ts';

/** The kind of the test events that only the tested webhook gets. */
export const TEST_KIND = 'webhook.test';

/** A webhook is disabled after this many failed attempts in a row, if the first of them is this long ago. */
export const failure_limit = { tries: 20, hours: 1 } as const;

export const MAX_WEBHOOKS = 100;

/** The fields of a webhook that decide which events it gets. */
export interface Subscription {
  readonly id: string;
  readonly workspace_id: string;
  readonly kinds: readonly string[];
  readonly deployment_id: string | null;
  readonly url: string;
}

export function isSubscribed(
  { id, workspace_id, kinds, deployment_id }: Subscription,
  event: Event & { readonly workspace_id: string },
): boolean {
  if (workspace_id !== event.workspace_id) return false;
  if (event.kind === TEST_KIND) return event.detail['webhook_id'] === id;
  if (deployment_id !== null && deployment_id !== event.deployment_id) return false;
  return kinds.length === 0 || kinds.some((kind) => isOfKind(event.kind, kind));
}

/** The body that is sent, in the form of Standard Webhooks. */
export function bodyOf(event: Event & { readonly workspace_id?: string }): string {
  const { workspace_id: _, ...data } = event;
  return JSON.stringify({ type: event.kind, timestamp: event.at, data });
}

/**
 * A message goes to one webhook about one event; its workspace comes first, so that it is found when the workspace is
 * deleted.
 */
export interface Addressee {
  readonly workspace_id: string;
  readonly webhook_id: string;
  readonly event_id: string;
}

export const destinationOf = ({ workspace_id, webhook_id, event_id }: Addressee) =>
  `${workspace_id}/${webhook_id}/${event_id}`;

export function addresseeOf(destination: string): Addressee {
  const [workspace_id = '', webhook_id = '', event_id = ''] = destination.split('/');
  return { workspace_id, webhook_id, event_id };
}

/** @throws Problem `invalid` for an address that can't be called; whether it is public is checked at each call. */
export function checkAddress(url: string): void {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new Problem('invalid', 'url must be an address with https or http.');
  if (parsed.username !== '' || parsed.password !== '')
    throw new Problem('invalid', 'url must not hold a user name or a password.', {
      hint: 'Messages are signed; the receiver verifies them by the secret of the webhook.',
    });
}
