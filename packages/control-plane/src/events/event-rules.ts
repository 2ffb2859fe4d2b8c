import type { Event } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';

/** A filter of events; an undefined field does not filter. */
export interface EventFilter {
  readonly deployment_id?: string | undefined;
  readonly revision_id?: string | undefined;
  /** The beginning of a kind, up to one of its dots. */
  readonly kind?: string | undefined;
  readonly to?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The store's filter, applied to an event in memory. */
export function isWanted(
  { deployment_id, revision_id, kind, to, since, until }: EventFilter,
  event: Event,
): boolean {
  return (
    isOf(deployment_id, event.deployment_id) &&
    isOf(revision_id, event.revision_id) &&
    (kind === undefined || isOfKind(event.kind, kind)) &&
    (to === undefined || event.to === to) &&
    (since === undefined || Date.parse(event.at) >= Date.parse(since)) &&
    (until === undefined || Date.parse(event.at) < Date.parse(until))
  );
}

const isOf = (wanted: string | undefined, id: string | null) =>
  wanted === undefined || wanted.toLowerCase() === id;

export function isOfKind(kind: string, beginning: string): boolean {
  return kind === beginning || kind.startsWith(`${beginning}.`);
}

export const cursorOf = (id: string) => Buffer.from(id).toString('base64url');

/** @throws Problem `invalid` */
export function numberOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!isNumber(id)) throw new Problem('invalid', 'The cursor is not one that this list gave.');
  return Number(id);
}

/** @throws Problem `invalid` */
export function lastEventOf(headers: Headers): number | undefined {
  const id = headers.get('last-event-id');
  if (id === null || id === '') return undefined;
  if (!isNumber(id)) throw new Problem('invalid', 'Last-Event-ID is not the id of an event.');
  return Number(id);
}

const isNumber = (text: string) => /^\d{1,15}$/.test(text);
