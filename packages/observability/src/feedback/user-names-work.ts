import type { WorkspacesOf } from '../account/workspaces.ts';

/** Of those who gave feedback in one workspace, or review there. Users are keys; identity has their names. */
export async function readUserNames(
  workspaces: WorkspacesOf,
  rows: readonly { readonly workspace_id: string; readonly user_id: string | null }[],
): Promise<Map<string, string>> {
  const wanted = new Set(rows.flatMap((row) => row.user_id ?? []));
  const names = new Map<string, string>();
  let cursor: string | undefined;
  while (wanted.size > 0) {
    const [row] = rows;
    const query = { page_size: '100', ...(cursor === undefined ? {} : { cursor }) };
    const page = await workspaces(row?.workspace_id ?? '').listApiKeys({ query });
    for (const key of page.items) {
      if (wanted.delete(key.id)) names.set(key.id, key.name);
    }
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  return names;
}
