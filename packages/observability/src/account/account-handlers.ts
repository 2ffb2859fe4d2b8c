import type { SecretBox } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { retentionHandlers } from '../retention/trace-retention-routes.ts';
import { limitHandlers } from '../usage/usage-limits-routes.ts';
import type { UsageGate } from '../usage/usage-gate.ts';
import { usageHandlers } from '../usage/usage-routes.ts';
import { organizationHandlers } from './organization-routes.ts';
import { secretHandlers } from './workspace-secrets-routes.ts';
import { settingsHandlers } from './workspace-settings-routes.ts';
import { sharedLinkHandlers } from './shared-links-routes.ts';
import { workspaceHandlers } from './workspaces-routes.ts';
import type { WorkspacesOf } from '../workspaces/workspaces.ts';

interface AccountOptions {
  readonly db: Database;
  readonly secret_box: SecretBox;
  readonly public_sharing: boolean;
  readonly workspaces: WorkspacesOf;
  readonly gate: Pick<UsageGate, 'read'>;
  /** Called with a workspace whose usage limits were changed. */
  readonly limits_changed: (workspace_id: string) => void;
  /** Called when traces may have to be removed earlier than before. */
  readonly retention_changed: () => void;
}

/** All operations on workspaces, their settings, limits and usage. */
export const accountHandlers = (options: AccountOptions) => ({
  ...settingsHandlers(options),
  ...workspaceHandlers(options),
  ...organizationHandlers(options),
  ...secretHandlers(options),
  ...sharedLinkHandlers(options),
  ...usageHandlers(options),
  ...limitHandlers(options),
  ...retentionHandlers(options.db, options.retention_changed),
});
