import type { observability } from '@roadstead/contracts/observability';
import type { Database, Handlers, SecretBox } from '@roadstead/kit';
import { listSecretNames, writeSecret } from './secret-store.ts';

/** Kept for what calls models in the workspace's name; no answer shows a value. */
export function secretHandlers({
  db,
  secret_box,
}: {
  readonly db: Database;
  readonly secret_box: SecretBox;
}): Pick<Handlers<typeof observability>, 'listWorkspaceSecrets' | 'setWorkspaceSecrets'> {
  return {
    listWorkspaceSecrets: async ({ workspace_id }) =>
      (await listSecretNames(db, workspace_id)).map((key) => ({ key })),
    setWorkspaceSecrets: async ({ workspace_id, body }) => {
      await db.transaction(async (tx) => {
        for (const { key: name, value } of body) {
          const row = `workspace-secret/${workspace_id}/${name}`;
          const sealed = value === null ? null : secret_box.seal(value, row);
          await writeSecret(tx, { workspace_id, name, sealed });
        }
      });
      return { message: 'The secrets are set.' };
    },
  };
}
