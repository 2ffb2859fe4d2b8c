import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { traces } from '../../api/clients.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { mayDo } from '../../session/session.ts';
import { useQueueSearch } from './queue-search.ts';

type Status = 'viewed' | 'completed' | null;

/** Sets how far the caller is with an item. */
export const setStatus = (
  item_id: string,
  { status, override_added_at }: { readonly status: Status; readonly override_added_at?: string },
) =>
  traces.setQueueItemStatus({
    params: { item_id },
    body: { status, ...(override_added_at !== undefined && { override_added_at }) },
  });

/**
 * Takes the first item that nobody else has: it is reserved first and looked at again, since two may reserve the same
 * one at once, and only who came first keeps it.
 */
async function takeNext(queue_id: string, passed: ReadonlySet<string>): Promise<string | null> {
  const lost = new Set(passed);
  for (;;) {
    const item = await firstWaiting(queue_id, lost);
    if (item === undefined || !mayDo('feedback:write')) return item ?? null;
    await setStatus(item, { status: 'viewed' });
    const params = { queue_id, item_id: item };
    const { section } = await traces.readQueueItemPlacement({ params });
    if (section === 'needs_my_review') return item;
    lost.add(item);
  }
}

async function firstWaiting(queue_id: string, without: ReadonlySet<string>): Promise<string | undefined> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof traces.listQueueItems>> = await traces.listQueueItems({
      params: { queue_id },
      query: { status: 'needs_my_review', page_size: 50, ...(cursor !== null && { cursor }) },
    });
    const found = page.items.find(({ id }) => !without.has(id));
    if (found !== undefined) return found.id;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return undefined;
}

const LOOK_AGAIN_MS = 10_000;

/** The items that one goes through: those that were seen, and the one that is open. */
export function useTurn(queue_id: string) {
  const { item } = useQueueSearch();
  const [go, client] = [useGo(), useQueryClient()];
  const [trail, setTrail] = useState<readonly string[]>(item === undefined ? [] : [item]);
  const next = useQuery({
    queryKey: ['queues', 'next', queue_id, trail],
    queryFn: () => takeNext(queue_id, new Set(trail)),
    enabled: item === undefined,
    gcTime: 0,
    staleTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    // Somebody may put more into the queue, or let go of what is reserved.
    refetchInterval: ({ state }) => (state.data === null ? LOOK_AGAIN_MS : false),
  });
  const open = (id: string | undefined) => go({ ...at.queue(queue_id), search: { item: id } });
  const taken = item === undefined && !next.isFetching ? next.data : undefined;
  useEffect(() => {
    if (typeof taken !== 'string') return;
    setTrail((now) => (now.includes(taken) ? now : [...now, taken]));
    go({ ...at.queue(queue_id), search: { item: taken } }, { replace: true });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the function that goes is a new one each time
  }, [taken, queue_id]);
  const place = item === undefined ? trail.length : trail.indexOf(item);
  return {
    item,
    next,
    hasPrevious: place > 0,
    hasPassed: trail.length > 0,
    goPrevious: () => open(trail[place - 1] ?? item),
    /** To what was seen after this one, else to an item that was not. */
    goNext: () => open(trail[place + 1]),
    /** Forgets an item, so that it may come again. */
    forget: (id: string) => setTrail((now) => now.filter((one) => one !== id)),
    beginAgain: () => setTrail([]),
    refresh: () => client.invalidateQueries({ queryKey: ['queues'] }),
  };
}

export type Turn = ReturnType<typeof useTurn>;

interface Reservation {
  readonly item: string;
  readonly isMine: boolean;
  readonly minutes: number;
}

/** Keeps an item reserved for as long as somebody looks at it. */
export function useReservation({ item, isMine, minutes }: Reservation): void {
  useEffect(() => {
    if (!isMine || !mayDo('feedback:write')) return undefined;
    const renew = () => void setStatus(item, { status: 'viewed' }).catch(() => {});
    renew();
    const timer = setInterval(renew, (minutes * 60_000) / 2);
    return () => clearInterval(timer);
  }, [item, isMine, minutes]);
}
