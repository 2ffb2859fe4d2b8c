import { isUuid, Problem } from '@roadstead/kit';

/** Pages of what is ordered by its id, newest first. */

interface Asked {
  readonly page_size: number;
  readonly cursor?: string | undefined;
}

export async function pageOf<T extends { readonly id: string }>(
  { page_size, cursor }: Asked,
  list: (span: { readonly before: string | undefined; readonly limit: number }) => Promise<T[]>,
): Promise<{ readonly items: T[]; readonly next_cursor: string | null }> {
  // One more than is shown, to know whether there is more.
  const found = await list({ before: idOf(cursor), limit: page_size + 1 });
  const items = found.slice(0, page_size);
  const last = found.length > items.length ? items.at(-1) : undefined;
  return { items, next_cursor: last === undefined ? null : Buffer.from(last.id).toString('base64url') };
}

function idOf(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!isUuid(id)) throw new Problem('invalid', 'The cursor is not one that this list gave.');
  return id;
}
