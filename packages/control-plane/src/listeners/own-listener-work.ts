import { ApiError } from '@roadstead/contracts';
import type { Listener } from '@roadstead/contracts/control-plane';
import { Problem, uuidv7 } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { namespacesOf } from '../specs/listener-choice-rules.ts';
import { insertEvent, type NewEvent } from '../events/event-store.ts';
import type { RowKey } from '../records/keys.ts';
import { checkNamespaces, checkUnchanged, refuseWithDeployments } from './own-listener-rules.ts';
import {
  deleteListener,
  insertListener,
  listDeploymentsOf,
  lockListenersOf,
  lockOwnListener,
  updateListener,
} from './own-listener-store.ts';

type ListenerWithKey = Listener & { readonly key: string };

interface ActorContext {
  readonly actor: string;
}

export interface NewListener extends Pick<
  Listener,
  'compute_type' | 'compute_id' | 'compute_config' | 'version'
> {
  readonly workspace_id: string;
}

/** The key is drawn within the transaction: a key whose row was never committed is known to nobody. */
export async function createListener(
  context: Context,
  asked: NewListener,
  { actor }: ActorContext,
): Promise<ListenerWithKey> {
  const { workspace_id } = asked;
  return context.db.transaction(async (tx) => {
    checkNamespaces(asked, await lockListenersOf(tx, workspace_id));
    const listener = await insertListener(tx, { ...asked, id: uuidv7() });
    if (listener === undefined)
      throw new Problem('conflict', 'The workspace has a listener of this compute_id already.');
    await report(tx, listener, { workspace_id, kind: 'listener.created', actor });
    return { ...listener, key: await drawKey(context, workspace_id, { listener, actor }) };
  });
}

export async function rotateKey(
  context: Context,
  at: RowKey,
  { actor }: ActorContext,
): Promise<ListenerWithKey> {
  return context.db.transaction(async (tx) => {
    const { listener } = await readOwn(tx, at);
    await report(tx, listener, { ...at, kind: 'listener.key_rotated', actor });
    return { ...listener, key: await drawKey(context, at.workspace_id, { listener, actor }) };
  });
}

/** Null and absent fields stay. */
export interface ListenerPatch {
  readonly version?: string | null | undefined;
  readonly compute_config?: Listener['compute_config'] | null | undefined;
  readonly compute_type?: string | null | undefined;
  readonly compute_id?: string | null | undefined;
}

export async function changeListener(
  { db }: Context,
  at: RowKey,
  { actor, patch }: ActorContext & { readonly patch: ListenerPatch },
): Promise<Listener> {
  return db.transaction(async (tx) => {
    const others = await lockListenersOf(tx, at.workspace_id);
    const held = await readOwn(tx, at);
    const { listener } = held;
    checkUnchanged(listener, patch);
    const compute_config = patch.compute_config ?? listener.compute_config;
    const isOther = ({ id }: Listener) => id !== listener.id;
    checkNamespaces({ ...listener, compute_config }, others.filter(isOther));
    const names = namespacesOf(compute_config);
    const outside = (await listDeploymentsOf(tx, listener.id)).filter(
      ({ namespace }) => namespace !== null && names.length > 0 && !names.includes(namespace),
    );
    refuseWithDeployments(outside, 'Deployments run in namespaces that the listener would no longer have');
    const version = patch.version ?? listener.version;
    const changed = await updateListener(held.tx, { id: listener.id, version, compute_config });
    await report(tx, changed, { ...at, kind: 'listener.changed', actor });
    return changed;
  });
}

/** Its key ends before its row: a kill between them leaves a listener that can be removed again. */
export async function removeListener(context: Context, at: RowKey, { actor }: ActorContext): Promise<void> {
  await context.db.transaction(async (tx) => {
    const held = await readOwn(tx, at);
    refuseWithDeployments(await listDeploymentsOf(tx, at.id), 'The listener still has deployments');
    await context.clients.identity(at.workspace_id).deleteListenerKeys({ params: { listener_id: at.id } });
    await deleteListener(held.tx, at.id);
    await report(tx, held.listener, { ...at, kind: 'listener.deleted', actor });
  });
}

async function readOwn(tx: Transaction, at: RowKey) {
  const held = await lockOwnListener(tx, at);
  if (held === undefined) throw new Problem('not_found', 'The workspace has no such listener of its own.');
  return held;
}

async function drawKey(
  { clients }: Context,
  workspace_id: string,
  { listener, actor }: ActorContext & { readonly listener: Listener },
): Promise<string> {
  const made = clients.identity(workspace_id).createListenerKey({
    body: { name: `listener ${listener.compute_id}`.slice(0, 200), listener_id: listener.id, actor },
  });
  const { key } = await made.catch((cause: unknown) => {
    if (cause instanceof ApiError && cause.status === 403)
      throw new Problem('forbidden', cause.message, { cause });
    throw cause;
  });
  return key;
}

async function report(
  tx: Transaction,
  { id, compute_id }: Listener,
  event: Pick<NewEvent, 'workspace_id' | 'kind' | 'actor'>,
): Promise<void> {
  const { workspace_id, kind, actor } = event;
  await insertEvent(tx, { workspace_id, kind, actor, detail: { listener_id: id, compute_id } });
}
