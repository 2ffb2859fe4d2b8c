import type { controlPlane } from '@roadstead/contracts/control-plane';
import { type Handlers, Problem } from '@roadstead/kit';
import type { Context } from '../context.ts';
import { listEvents } from './event-store.ts';

type EventHandlers = Pick<Handlers<typeof controlPlane>, 'listEvents'>;

export function eventHandlers({ db }: Context): EventHandlers {
  return {
    listEvents: async (call) => {
      const { deployment_id, page_size, cursor } = call.query;
      const found = await listEvents(db, call.workspace_id, {
        deployment_id,
        before: beforeOf(cursor),
        limit: page_size + 1,
      });
      const items = found.slice(0, page_size);
      const last = found.length > page_size ? items.at(-1) : undefined;
      return { items, next_cursor: last === undefined ? null : cursorOf(last.id) };
    },
  };
}

const cursorOf = (id: string) => Buffer.from(id).toString('base64url');

function beforeOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!/^\d{1,15}$/.test(id)) throw new Problem('invalid', 'The cursor is not one that this list gave.');
  return Number(id);
}
