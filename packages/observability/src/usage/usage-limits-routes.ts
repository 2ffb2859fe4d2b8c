import type { usageLimits } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { deleteLimit, type LimitRow, listLimits, upsertLimit } from './limit-store.ts';
import type { UsageGate } from './usage-gate.ts';
import type { InWorkspace } from '../values/keys.ts';

type LimitHandlers = Handlers<typeof usageLimits>;

/** @param options.limits_changed is called with the workspace whose limits changed. */
export function limitHandlers({
  db,
  gate,
  limits_changed,
}: {
  readonly db: Database;
  readonly gate: Pick<UsageGate, 'read'>;
  readonly limits_changed: (workspace_id: string) => void;
}): LimitHandlers {
  const list = async ({ workspace_id }: InWorkspace) =>
    (await listLimits(db, workspace_id)).map((row) => answer(row, workspace_id));
  return {
    readWorkspaceUsage: async ({ workspace_id }) => {
      const { traces, reached } = await gate.read(workspace_id);
      return {
        in_reject_set: reached !== undefined,
        usage_limit_type: reached?.kind ?? null,
        tenant_limit: reached?.limit ?? traces ?? null,
      };
    },
    listUsageLimits: list,
    listOrganizationUsageLimits: list,
    setUsageLimit: async ({ workspace_id, body }) => {
      const row = await upsertLimit(db, { workspace_id, kind: body.limit_type, value: body.limit_value });
      limits_changed(workspace_id);
      return answer(row, workspace_id);
    },
    deleteUsageLimit: async ({ workspace_id, params }) => {
      if (!(await deleteLimit(db, { workspace_id, id: params.usage_limit_id })))
        throw new Problem('not_found', 'There is no such usage limit.');
      limits_changed(workspace_id);
      return { message: 'The usage limit is removed.' };
    },
  };
}

const answer = ({ kind, value, ...row }: LimitRow, workspace_id: string) => ({
  ...row,
  tenant_id: workspace_id,
  limit_type: kind,
  limit_value: value,
});
