import type { shares } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, Problem } from '@roadstead/kit';
import { columnText } from '../values/column-text-rules.ts';
import { THREAD_ID_LENGTH } from '../decoding/run-fields-rules.ts';
import { findRun } from '../queries/run-query-store.ts';
import type { RunReader } from '../reading/run-reader-work.ts';
import { requireSessions } from '../session-records/session-store.ts';
import type { ShareSubject } from '../shares/share-token.ts';
import { createShare, findShare, removeShare } from '../shares/share-work.ts';

type ShareHandlers = Handlers<typeof shares>;

/** Links to whole traces, whichever of their runs is named, and to threads. */
export function shareHandlers({ db, sharing }: RunReader, clock: Clock): ShareHandlers {
  const traceOf = async (workspace_id: string, run_id: string) => {
    const row = await findRun(db, { workspace_id, run_id, now_ms: clock.now() });
    if (row === undefined) throw new Problem('not_found', 'There is no such run.');
    const subject: ShareSubject = { kind: 'run', subject_id: row.trace_id };
    return { workspace_id, subject, run_id: row.run_id };
  };
  const threadOf = async (workspace_id: string, project_id: string, thread_id: string) => {
    await requireSessions(db, { workspace_id, ids: [project_id] });
    const subject: ShareSubject = {
      kind: 'thread',
      subject_id: project_id.toLowerCase(),
      thread_id: columnText(thread_id, THREAD_ID_LENGTH),
    };
    return { workspace_id, subject };
  };
  return {
    readRunShare: async ({ params, workspace_id }) => {
      const { run_id, ...trace } = await traceOf(workspace_id, params.run_id);
      const share = await findShare(sharing, trace);
      return share?.token === undefined ? null : { run_id, share_token: share.token };
    },
    shareRun: async ({ params, workspace_id }) => {
      const { run_id, ...trace } = await traceOf(workspace_id, params.run_id);
      return { run_id, share_token: (await createShare(sharing, trace)).token };
    },
    unshareRun: async ({ params, workspace_id }) => {
      await removeShare(sharing, await traceOf(workspace_id, params.run_id));
      return { message: 'The trace is not shared any more.' };
    },
    shareRunV2: async ({ params, workspace_id }) => {
      const trace = await traceOf(workspace_id, params.run_id);
      return { share_token: (await createShare(sharing, trace)).token };
    },
    unshareRunV2: async ({ params, workspace_id }) => {
      await removeShare(sharing, await traceOf(workspace_id, params.run_id));
    },
    readThreadShare: async ({ params, query, workspace_id }) => {
      const share = await findShare(
        sharing,
        await threadOf(workspace_id, query.project_id, params.thread_id),
      );
      return share?.token === undefined ? {} : { share_token: share.token };
    },
    shareThread: async ({ params, body, workspace_id }) => {
      const thread = await threadOf(workspace_id, body.project_id, params.thread_id);
      return { share_token: (await createShare(sharing, thread)).token };
    },
    unshareThread: async ({ params, query, workspace_id }) => {
      await removeShare(sharing, await threadOf(workspace_id, query.project_id, params.thread_id));
    },
  };
}
