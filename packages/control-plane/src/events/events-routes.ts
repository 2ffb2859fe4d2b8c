import type { events } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import type { Log } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { asksForStream, streamAnswer } from './event-stream-answer.ts';
import type { Events } from './event-loop.ts';
import type { EventFeedQuery } from './event-feed.ts';
import { cursorOf, lastEventOf, numberOf } from './event-rules.ts';
import { listEvents } from './event-store.ts';

type EventHandlers = Handlers<typeof events>;

interface EventsContext {
  readonly db: Database;
  readonly log: Log;
  readonly events: Pick<Events, 'caughtUp' | 'follow'>;
  readonly stopping: AbortSignal;
}

export function eventHandlers(context: EventsContext): EventHandlers {
  const { db, events } = context;
  const stream = async (asked: EventFeedQuery) => {
    await events.caughtUp();
    return streamAnswer(context, (signal) => events.follow(asked, signal));
  };
  return {
    listEvents: async ({ workspace_id, query, request }) => {
      const { order, page_size, cursor, ...filter } = query;
      const beyond = numberOf(cursor);
      if (asksForStream(request))
        return stream({ workspace_id, filter, after: lastEventOf(request.headers) ?? beyond });
      await events.caughtUp();
      const found = await listEvents(db, workspace_id, { ...filter, order, beyond, limit: page_size + 1 });
      const items = found.slice(0, page_size);
      const last = order === 'asc' || found.length > page_size ? items.at(-1) : undefined;
      return { items, next_cursor: last === undefined ? null : cursorOf(last.id) };
    },
    streamEvents: async ({ workspace_id, query, request }) =>
      stream({ workspace_id, filter: query, after: lastEventOf(request.headers) }),
  };
}
