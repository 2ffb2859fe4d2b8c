import { Problem } from '@roadstead/kit';
import type { MetadataFilters } from '../../access/caller.ts';
import type { Run } from '../../runs/run.ts';
import { permit } from '../permission.ts';
import type { RunCall, RunFace } from './run-face.ts';
import { noThread } from './run-start.ts';
import { findThreadSettings } from './run-store.ts';

/** Finds runs and threads that their caller may reach. */

export interface RunAddress {
  /** Absent where the run was started without one. */
  readonly thread_id?: string;
  readonly run_id: string;
}

export type ThreadAction = 'read' | 'update' | 'delete';

/** @throws Problem `not_found` for a run of another thread, or of a thread that the caller does not see */
export async function requireRun(
  face: RunFace,
  call: RunCall,
  { thread_id, run_id, action }: RunAddress & { readonly action: ThreadAction },
): Promise<Run> {
  const run = await face.runs.find(run_id);
  if (run === undefined || (thread_id !== undefined && run.thread_id !== thread_id)) throw noRun();
  await requireThread(face, call, { thread_id: run.thread_id, action });
  return run;
}

export const noRun = () => new Problem('not_found', 'There is no such run here.');

/** @throws Problem `not_found` */
export async function requireThread(
  face: RunFace,
  call: RunCall,
  { thread_id, action }: { readonly thread_id: string; readonly action: ThreadAction },
): Promise<void> {
  const filters = await filtersFor(face, call, { action, value: { thread_id } });
  if ((await findThreadSettings(face.db, { thread_id, filters })) === undefined) throw noThread();
}

/** The metadata that threads must have for this caller to act on them. */
export async function filtersFor(
  { access }: RunFace,
  { principal }: RunCall,
  attempt: { readonly action: string; readonly value: Readonly<Record<string, unknown>> },
): Promise<MetadataFilters | null> {
  return (await permit(access, { principal, resource: 'threads', ...attempt })).filters;
}
