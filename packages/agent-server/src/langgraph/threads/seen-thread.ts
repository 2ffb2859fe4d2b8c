import type { Principal } from '@roadstead/contracts';
import type { AccessRules } from '../../access/caller.ts';
import type { ThreadRow } from '../../threads/thread-row.ts';
import { noThread, type Threads } from '../../threads/threads.ts';
import { permit, type PermittedCall } from '../permission.ts';

export interface ThreadFaceOptions {
  readonly threads: Threads;
  readonly access: AccessRules;
}

export interface ThreadRequest {
  readonly principal: Principal;
  readonly thread_id: string;
  readonly action: 'read' | 'update' | 'delete';
  readonly value?: Readonly<Record<string, unknown>>;
}

/** Permits a call that acts on a thread. */
export function permitThread(
  access: AccessRules,
  { principal, thread_id, action, value }: ThreadRequest,
): Promise<PermittedCall> {
  return permit(access, { principal, resource: 'threads', action, value: { thread_id, ...value } });
}

/**
 * The thread that a call names, if its caller may act on it so.
 * @throws Problem `not_found`
 */
export async function seenThread(
  { threads, access }: ThreadFaceOptions,
  request: ThreadRequest,
): Promise<{ readonly row: ThreadRow; readonly permitted: PermittedCall }> {
  const permitted = await permitThread(access, request);
  const row = await threads.find(request.thread_id, permitted.within);
  if (row === undefined) throw noThread();
  return { row, permitted };
}
