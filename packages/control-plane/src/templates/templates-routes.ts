import type { templates } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Context } from '../context/context.ts';

type TemplateHandlers = Handlers<typeof templates>;

export function templateHandlers({ templates }: Context): TemplateHandlers {
  return {
    listTemplates: async ({ query: { page_size, cursor } }) => {
      const after = cursor === undefined ? '' : idOf(cursor);
      const rest = (await templates.list()).filter(({ id }) => id > after);
      const items = rest.slice(0, page_size);
      const last = rest.length > page_size ? items.at(-1) : undefined;
      return { items, next_cursor: last === undefined ? null : cursorOf(last.id) };
    },
  };
}

const cursorOf = (id: string) => Buffer.from(id).toString('base64url');

function idOf(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (cursorOf(id) !== cursor || id === '')
    throw new Problem('invalid', 'The cursor is not one that this list gave.');
  return id;
}
