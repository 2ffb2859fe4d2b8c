import type { Principal } from '@roadstead/contracts';
import type { AccessRules } from '../../access/caller.ts';
import type { ThreadRow } from '../../threads/thread-row.ts';
import { noThread, type Threads } from '../../threads/threads.ts';
import { permit, type Permitted } from '../permission.ts';

export interface ThreadFaceOptions {
  readonly threads: Threads;
  readonly access: AccessRules;
}

export interface Named {
  readonly principal: Principal;
  readonly thread_id: string;
  readonly action: 'read' | 'update' | 'delete';
  readonly value?: Readonly<Record<string, unknown>>;
}

/** What a caller may do to a thread. */
export function permitThread(
  access: AccessRules,
  { principal, thread_id, action, value }: Named,
): Promise<Permitted> {
  return permit(access, { principal, resource: 'threads', action, value: { thread_id, ...value } });
}

/**
 * The thread that a call names, where its caller may do that to it.
 * @throws Problem `not_found`
 */
export async function seenThread(
  { threads, access }: ThreadFaceOptions,
  named: Named,
): Promise<{ readonly row: ThreadRow; readonly permitted: Permitted }> {
  const permitted = await permitThread(access, named);
  const row = await threads.find(named.thread_id, permitted.within);
  if (row === undefined) throw noThread();
  return { row, permitted };
}
