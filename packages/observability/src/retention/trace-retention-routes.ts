import type { traceRetention } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import type { Database } from '@roadstead/postgres';
import { retention_days } from '../partitions/week-rules.ts';
import { readRetention, type RetentionRow, writeRetention } from './retention-settings-store.ts';
import type { InWorkspace } from '../values/keys.ts';

type RetentionHandlers = Handlers<typeof traceRetention>;

/** @param changed is called when traces may have to be removed earlier than before. */
export function retentionHandlers(db: Database, changed: () => void): RetentionHandlers {
  const read = async (workspace_id: string, applied = false) =>
    answerOf(await readRetention(db, workspace_id), { workspace_id, applied });
  const list: RetentionHandlers['readWorkspaceRetention'] = async ({ workspace_id }) => [
    await read(workspace_id),
  ];
  const set: RetentionHandlers['setWorkspaceRetention'] = async ({ workspace_id, body }) => {
    await writeRetention(db, {
      workspace_id,
      default_tier: body.default_trace_tier,
      longlived_days: body.longlived_ttl_days ?? undefined,
      for_all_projects: body.apply_to_all_projects,
    });
    changed();
    return read(workspace_id, body.apply_to_all_projects);
  };
  const long = async (workspace_id: string) => {
    const days = (await readRetention(db, workspace_id))?.longlived_days ?? null;
    return {
      tenant_id: workspace_id,
      longlived_ttl_days: days ?? retention_days.longlived,
      is_custom: days !== null,
    };
  };
  return {
    readOrganizationRetention: list,
    readWorkspaceRetention: list,
    setOrganizationRetention: set,
    setWorkspaceRetention: set,
    readLongRetention: async ({ workspace_id }) => long(workspace_id),
    setLongRetention: async ({ workspace_id, body }) => {
      await writeRetention(db, { workspace_id, longlived_days: body.longlived_ttl_days });
      changed();
      return long(workspace_id);
    },
  };
}

/** The date of the default, before anyone decided. */
const SINCE = '1970-01-01T00:00:00.000Z';

function answerOf(
  row: RetentionRow | undefined,
  { workspace_id, applied }: InWorkspace & { readonly applied: boolean },
) {
  const isSet = row?.retention_id != null;
  return {
    id: row?.retention_id ?? workspace_id,
    tenant_id: workspace_id,
    organization_id: workspace_id,
    default_trace_tier: row?.default_tier ?? 'shortlived',
    apply_to_all_projects: applied,
    longlived_ttl_days: row?.longlived_days ?? retention_days.longlived,
    configured_by: isSet ? ('user' as const) : ('system' as const),
    created_at: row?.retention_set_at ?? SINCE,
    updated_at: row?.retention_changed_at ?? SINCE,
  };
}
