import type { annotationQueueReviewers } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type Clock, Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { listMembers, type WorkspacesOf } from '../workspaces/workspaces.ts';
import { assignReviewer, readQueue, unassignReviewer } from './queue-store.ts';

type ReviewerHandlers = Handlers<typeof annotationQueueReviewers>;

interface Options {
  readonly db: Database;
  readonly clock: Clock;
  readonly workspaces: WorkspacesOf;
}

export function queueReviewerHandlers({ db, clock, workspaces }: Options): ReviewerHandlers {
  const now = () => new Date(clock.now()).toISOString();
  return {
    addQueueReviewer: async ({ params, body, workspace_id }) => {
      const identity_id = body.identity_id.toLowerCase();
      const { queue_id } = params;
      await readQueue(db, { workspace_id, queue_id });
      const members = await listMembers(workspaces, workspace_id);
      if (!members.some(({ id }) => id === identity_id))
        throw new Problem('not_found', 'There is no such member of the workspace.');
      await assignReviewer(db, { workspace_id, queue_id }, { identity_id, now: now() });
      return { identity_id };
    },
    readQueueReviewer: async ({ params, workspace_id }) => {
      const { queue_id } = params;
      const identity_id = params.identity_id.toLowerCase();
      const { assigned_reviewers } = await readQueue(db, { workspace_id, queue_id });
      if (!assigned_reviewers.includes(identity_id))
        throw new Problem('not_found', 'There is no such reviewer of the annotation queue.');
      return { identity_id };
    },
    removeQueueReviewer: async ({ params, workspace_id }) => {
      const { queue_id } = params;
      const identity_id = params.identity_id.toLowerCase();
      await unassignReviewer(db, { workspace_id, queue_id }, { identity_id, now: now() });
    },
  };
}
