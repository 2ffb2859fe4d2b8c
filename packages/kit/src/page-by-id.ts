import { isUuid } from './ids.ts';
import { Problem } from './problems/problem.ts';

/** Pages of rows ordered by id, in either direction. */

interface PageRequest {
  readonly page_size: number;
  readonly cursor?: string | undefined;
}

export interface Span {
  /** The id after which the page begins. */
  readonly after: string | undefined;
  readonly limit: number;
}

export async function pageOf<T extends { readonly id: string }>(
  { page_size, cursor }: PageRequest,
  list: (span: Span) => Promise<T[]>,
): Promise<{ items: T[]; next_cursor: string | null }> {
  // One row more than is shown, to learn whether there are more.
  const found = await list({ after: idOf(cursor), limit: page_size + 1 });
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
