import { ApiError, type Client } from '@roadstead/contracts';
import type { ApiKey, IdentityContract } from '@roadstead/contracts/identity';
import { Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';

/** The operations of identity that are used here: it alone knows workspaces and keys. */
export type Workspaces = Pick<
  Client<IdentityContract>,
  'listWorkspaces' | 'createWorkspaceFor' | 'patchWorkspace' | 'listApiKeys'
>;

/** Identity, called on behalf of a workspace. */
export type WorkspacesOf = (workspace_id: string) => Workspaces;

/** Where what belongs to a workspace is read: our rows of it, and identity's. */
export interface WorkspaceSources {
  readonly db: Database;
  readonly workspaces: WorkspacesOf;
}

/** @throws Problem: its refusal, or `unavailable` where it does not answer. */
export async function askIdentity<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof ApiError && cause.status === 409)
      throw new Problem('conflict', cause.message, { cause });
    throw new Problem('unavailable', 'Workspaces and keys can’t be read right now; try again.', {
      cause,
      retry_after_s: 1,
    });
  }
}

export async function readWorkspace(workspaces: WorkspacesOf, workspace_id: string) {
  const { items } = await askIdentity(() => workspaces(workspace_id).listWorkspaces({}));
  const [found] = items;
  if (found === undefined) throw new Problem('not_found', 'There is no such workspace.');
  return found;
}

/** Lists everybody who has a key to the workspace. */
export async function listMembers(workspaces: WorkspacesOf, workspace_id: string): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  let cursor: string | undefined;
  do {
    const query = { page_size: 100, ...(cursor === undefined ? {} : { cursor }) };
    const page = await askIdentity(() => workspaces(workspace_id).listApiKeys({ query }));
    keys.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return keys;
}
