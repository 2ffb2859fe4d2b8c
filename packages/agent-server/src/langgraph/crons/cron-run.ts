import { Problem, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { Cron } from '../../crons/cron.ts';
import type { NewRun } from '../../runs/run.ts';
import { type AssistantSettings, newRunOf, type RunRequest } from '../runs/run-request-rules.ts';
import { findThreadSettings } from '../runs/run-store.ts';

export interface CronRunOptions {
  readonly db: Database;
  readonly assistants: { find(assistant_id: string): Promise<AssistantSettings | undefined> };
}

/**
 * The run that a cron begins, as if its client asked for it at that time.
 * @throws Problem `not_found` where the assistant or the thread has gone
 */
export async function cronRunOf(
  { db, assistants }: CronRunOptions,
  { cron, run_id }: { readonly cron: Cron; readonly run_id: string },
): Promise<NewRun> {
  const { assistant_id, thread_id, payload, principal, user, on_run_completed } = cron;
  const assistant = await assistants.find(assistant_id);
  if (assistant === undefined) throw new Problem('not_found', 'There is no such assistant here.');
  const known = thread_id === null ? undefined : await findThreadSettings(db, { thread_id, filters: null });
  if (thread_id !== null && known === undefined)
    throw new Problem('not_found', 'There is no such thread here.');
  const { graph_id } = assistant;
  const marked = { ...cron.metadata, ...cron.marks };
  const metadata = { ...marked, cron_id: cron.cron_id };
  const made = { metadata: { ...marked, graph_id, assistant_id } };
  const request: RunRequest = {
    ...payload,
    input: payload.input,
    context: payload.context,
    assistant_id,
    metadata,
  };
  return newRunOf(request, {
    wanted: (payload.stream_mode ?? undefined) === undefined ? 'end' : 'events',
    setting: {
      run_id,
      thread:
        thread_id === null
          ? { thread_id: uuidv7(), create: { ...made, temporary: on_run_completed === 'delete' } }
          : { thread_id },
      thread_metadata: known?.metadata ?? {},
      assistant,
      caller: { workspace_id: '', principal, user, scopes: [], subject: null },
      headers: {},
      traceparent: undefined,
    },
  });
}
