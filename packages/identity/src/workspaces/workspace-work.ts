import { isOutage, Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { type Caller, lockMaker } from '../credentials/credentials.ts';
import { handOn } from '../handing-on/handing-on-rules.ts';
import { insertKey } from '../records/key-store.ts';
import { hasRoom } from '../records/lineage-rules.ts';
import type { WorkspaceHolder } from './workspace-holders.ts';
import {
  findOwnWorkspace,
  insertWorkspace,
  listAncestors,
  lockLineage,
  markDeleting,
  type NamedWorkspace,
  type WorkspaceRow,
} from '../records/workspace-store.ts';
import type { Holdings } from '@roadstead/contracts';

export interface NewWorkspace extends NamedWorkspace {
  readonly caller: Caller;
  /** How many may descend from the maker's workspace. */
  readonly most: number;
}

/** Creates a workspace with a key to it, which gives its maker the same rights there as here. */
export async function createWorkspace(
  db: Database,
  { id, name, caller, most }: NewWorkspace,
): Promise<WorkspaceRow & { readonly key: string }> {
  return db.transaction(async (tx) => {
    // Credentials are locked before lineage, in the order that the erasure of a workspace uses.
    const maker = await lockMaker(tx, caller);
    const locked = await lockLineage(tx);
    if (!hasRoom(await listAncestors(locked, maker.workspace_id), most))
      throw new Problem(
        'conflict',
        'This workspace, or the one that made it, has reached its limit of workspaces.',
        {
          hint: 'Delete one that is not needed. The operator sets the limit, by ROADSTEAD_WORKSPACES.',
        },
      );
    const workspace = await insertWorkspace(locked, { id, name, created_by: maker.workspace_id });
    if (workspace === undefined) throw new Problem('conflict', 'A workspace with this id already exists.');
    const reach = handOn('workspace', maker, { workspace_id: workspace.id });
    const { key } = await insertKey(tx, { ...reach, name: 'first' });
    return { ...workspace, key };
  });
}

export interface DeletionRequest {
  readonly id: string;
  /** The caller's workspace. */
  readonly workspace_id: string;
  readonly force: boolean;
}

/** Begins the deletion, unless the workspace still has something. @returns also the hashes of keys that are dead now. */
export async function beginWorkspaceDeletion(
  {
    db,
    holders,
    default_id,
  }: {
    readonly db: Database;
    readonly holders: readonly WorkspaceHolder[] | undefined;
    readonly default_id: string;
  },
  { id, workspace_id, force }: DeletionRequest,
): Promise<{ readonly workspace: WorkspaceRow; readonly dead: readonly Buffer[] }> {
  const workspace = await findOwnWorkspace(db, { id, workspace_id });
  if (workspace === undefined) throw noWorkspace();
  if (workspace.id === default_id)
    throw new Problem(
      'conflict',
      'The default workspace can’t be deleted: it is created again at each start.',
    );
  if (workspace.deleting) return { workspace, dead: [] };
  if (holders === undefined)
    throw new Problem('unavailable', 'Workspaces can’t be deleted here.', {
      hint: 'Identity needs to know ROADSTEAD_CONTROL_PLANE_URL and ROADSTEAD_OBSERVABILITY_URL.',
    });
  const asked = Promise.all(holders.map((holder) => holder.readHoldings(id)));
  const holdings = await asked.catch((cause: unknown) => {
    if (!isOutage(cause)) throw cause;
    throw new Problem('unavailable', 'The contents of the workspace can’t be read right now; try again.', {
      cause,
      retry_after_s: 1,
    });
  });
  const refusal = refusalOf(holdings, { force });
  if (refusal !== undefined) throw new Problem('conflict', refusal.message, { hint: refusal.hint });
  const dead = await db.transaction((tx) => markDeleting(tx, id));
  return { workspace: { ...workspace, deleting: true }, dead };
}

export const noWorkspace = () => new Problem('not_found', 'There is no such workspace.');

const SHOWN = 5;

/** The reason why a workspace is not deleted; undefined when nothing prevents it. */
function refusalOf(
  holdings: readonly Holdings[],
  { force }: { readonly force: boolean },
): { readonly message: string; readonly hint: string } | undefined {
  const items = holdings.flatMap((one) => one.items).filter(({ count }) => count > 0);
  const against = items.filter(({ must_go }) => must_go || !force);
  if (against.length === 0) return undefined;
  const named = against.map(({ kind, count, names }) => {
    const more = count > Math.min(names.length, SHOWN) ? ', …' : '';
    return `${count} ${kind} (${names.slice(0, SHOWN).join(', ')}${more})`;
  });
  return {
    message: `The workspace still has ${named.join('; ')}.`,
    hint: against.some(({ must_go }) => must_go)
      ? 'Delete the deployments and listeners first.'
      : 'Delete these first, or everything at once with force=true.',
  };
}
