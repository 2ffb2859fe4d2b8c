import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { control } from '../../../api/clients.ts';
import { eventsOf } from '../../../api/server-sent-events.ts';
import { cursorList } from '../endless-list.ts';

export type Event = Awaited<ReturnType<typeof control.listEvents>>['items'][number];

export interface EventFilter {
  readonly deployment?: string | undefined;
  readonly kind?: string | undefined;
}

const queryOf = ({ deployment, kind }: EventFilter) => ({
  ...(deployment !== undefined && { deployment_id: deployment }),
  ...(kind !== undefined && { kind }),
});

export const eventsQuery = ({ deployment, kind }: EventFilter) =>
  cursorList<Event>(['events', deployment, kind], ({ query, signal }) =>
    control.listEvents({ query: { ...query, ...queryOf({ deployment, kind }) }, signal }),
  );

const AGAIN_MS = 2000;

/** Puts events on top of their list as they happen, once it was read. @returns whether they come now. */
export function useLiveEvents(filter: EventFilter): boolean {
  const client = useQueryClient();
  const [isLive, setLive] = useState(false);
  const { deployment, kind } = filter;
  const isRead = useInfiniteQuery(eventsQuery(filter)).data !== undefined;
  useEffect(() => {
    if (!isRead) return undefined;
    const leave = new AbortController();
    const { queryKey } = eventsQuery({ deployment, kind });
    const add = (event: Event) =>
      client.setQueryData(queryKey, (known) => {
        const [first, ...others] = known?.pages ?? [];
        if (known === undefined || first === undefined || known.pages.some(has(event))) return known;
        return { ...known, pages: [{ ...first, items: [event, ...first.items] }, ...others] };
      });
    const follow = async () => {
      const search = new URLSearchParams(queryOf({ deployment, kind })).toString();
      const stream = eventsOf(`/v2/events/stream?${search}`, {
        signal: leave.signal,
        last_event_id: client.getQueryData(queryKey)?.pages[0]?.items[0]?.id,
        onOpen: () => setLive(true),
      });
      for await (const { data } of stream) add(JSON.parse(data) as Event);
    };
    const run = async () => {
      while (!leave.signal.aborted) {
        await follow().catch(() => {});
        setLive(false);
        await pause(leave.signal);
      }
    };
    void run();
    return () => leave.abort();
  }, [client, deployment, kind, isRead]);
  return isLive;
}

const has =
  ({ id }: Event) =>
  ({ items }: { readonly items: readonly Event[] }) =>
    items.some((one) => one.id === id);

/** Waits before the stream is asked for again. */
const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, AGAIN_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
