import type { EventFilter } from '@roadstead/contracts/agent-server';
import { isFields, type UnnumberedEvent } from './protocol-event.ts';

/** Selects the events that a client has asked for. Pure. */

export function matches(
  { channels, namespaces, depth }: Pick<EventFilter, 'channels' | 'namespaces' | 'depth'>,
  event: Pick<UnnumberedEvent, 'method' | 'namespace' | 'data'>,
): boolean {
  const channel = channelOf(event);
  const wanted = (channels as readonly string[]).some(
    (asked) => asked === channel || (asked === 'custom' && event.method === 'custom'),
  );
  if (!wanted) return false;
  if (!namespaces || namespaces.length === 0) return true;
  const { namespace } = event;
  return namespaces.some(
    (prefix) =>
      isWithin(namespace, prefix) && (typeof depth !== 'number' || namespace.length - prefix.length <= depth),
  );
}

function channelOf({ method, data }: Pick<UnnumberedEvent, 'method' | 'data'>): string {
  if (method === 'input.requested') return 'input';
  if (method === 'custom' && isFields(data) && typeof data['name'] === 'string')
    return `custom:${data['name']}`;
  return method;
}

/** In a prefix, a part without `:` matches all tasks of the node. */
function isWithin(namespace: readonly string[], prefix: readonly string[]): boolean {
  return (
    prefix.length <= namespace.length &&
    prefix.every((part, at) => {
      const own = namespace[at] ?? '';
      return own === part || (!part.includes(':') && nodeOf(own) === part);
    })
  );
}

export const nodeOf = (segment: string): string => segment.split(':', 1)[0] ?? segment;
