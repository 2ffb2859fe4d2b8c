import { ALL_WORKSPACES, type Principal } from '@roadstead/contracts';
import type { workspaces } from '@roadstead/contracts/identity';
import type { Handlers } from '@roadstead/http';
import { Problem, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { Caller } from '../credentials/credentials.ts';
import type { Edge } from '../credentials/edge.ts';
import { isInSight, sightOf } from '../handing-on/handing-on-rules.ts';
import { MOST_WORKSPACES } from '../records/lineage-rules.ts';
import type { WorkspaceHolder } from './workspace-holders.ts';
import { findActorName } from '../credentials/actor-name.ts';
import { findOwnWorkspace, listWorkspaces, renameWorkspace } from '../records/workspace-store.ts';
import { beginWorkspaceDeletion, createWorkspace, noWorkspace } from './workspace-work.ts';

export interface WorkspaceRoutesOptions {
  readonly db: Database;
  readonly edge: Pick<Edge, 'forget' | 'forgetTokens'>;
  /** Undefined where the addresses of the other services are not configured. */
  readonly holders: readonly WorkspaceHolder[] | undefined;
  readonly default_workspace: { readonly id: string };
  /** How many workspaces may descend from one. */
  readonly most_workspaces?: number;
  /** Wakes the loop that erases a workspace. */
  readonly deleted: (id: string) => void;
}

export function workspaceHandlers({
  db,
  edge,
  deleted,
  holders,
  default_workspace,
  most_workspaces: most = MOST_WORKSPACES,
}: WorkspaceRoutesOptions): Handlers<typeof workspaces> {
  const make = async (
    caller: Caller,
    { id, name }: { readonly id?: string | null | undefined; readonly name: string },
  ) => createWorkspace(db, { id: id ?? uuidv7(), name, caller, most });
  return {
    readCaller: async ({ workspace_id, principal: { actor, scopes } }) => {
      const [workspace = null] =
        workspace_id === ALL_WORKSPACES ? [] : await listWorkspaces(db, workspace_id);
      return { workspace, actor, name: await findActorName(db, actor), scopes };
    },
    listWorkspaces: async ({ workspace_id, query }) => ({
      items: await listWorkspaces(db, workspace_id, query),
      next_cursor: null,
    }),
    createWorkspace: async ({ principal, body }) => make(principal, body),
    createWorkspaceFor: async ({ workspace_id, body: { actor, ...body } }) =>
      make({ workspace_id, actor, scopes: [] }, body),
    readWorkspace: async ({ workspace_id, params }) => {
      const found = await findOwnWorkspace(db, { id: params.workspace_id, workspace_id });
      if (found === undefined) throw noWorkspace();
      return found;
    },
    patchWorkspace: async ({ workspace_id: id, principal, params, body }) => {
      refuseBound(principal);
      const renamed = params.workspace_id === id ? await renameWorkspace(db, { id, ...body }) : undefined;
      if (renamed === undefined) throw noWorkspace();
      return renamed;
    },
    deleteWorkspace: async ({ workspace_id, principal, params, query }) => {
      refuseBound(principal);
      const { workspace, dead } = await beginWorkspaceDeletion(
        { db, holders, default_id: default_workspace.id },
        { id: params.workspace_id, workspace_id, force: query.force ?? false },
      );
      for (const hash of dead) edge.forget(hash);
      edge.forgetTokens();
      deleted(workspace.id);
      return workspace;
    },
  };
}

/** A bound caller changes no workspace, which belongs to everybody in it. */
function refuseBound(principal: Principal): void {
  if (!isInSight(sightOf(principal), sightOf({})))
    throw new Problem('forbidden', 'Only an unbound key changes or deletes a workspace.');
}
