import type { workspaceSecrets } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { Problem, type SecretBox } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { listSecretNames, writeSecret } from './secret-store.ts';

type SecretHandlers = Handlers<typeof workspaceSecrets>;

/** Secrets for calls of models in the workspace's name; no answer shows a value. */
export function secretHandlers({
  db,
  secret_box,
}: {
  readonly db: Database;
  readonly secret_box: SecretBox;
}): SecretHandlers {
  const sealed = (workspace_id: string, name: string, value: string | null) => ({
    workspace_id,
    name,
    sealed: value === null ? null : secret_box.seal(value, `workspace-secret/${workspace_id}/${name}`),
  });
  return {
    listWorkspaceSecrets: async ({ workspace_id }) =>
      (await listSecretNames(db, workspace_id)).map((key) => ({ key })),
    setWorkspaceSecrets: async ({ workspace_id, body }) => {
      await db.transaction(async (tx) => {
        for (const { key, value } of body) await writeSecret(tx, sealed(workspace_id, key, value));
      });
      return { message: 'The secrets are set.' };
    },
    putWorkspaceSecret: async ({ workspace_id, params: { key }, body: { value, configs } }) => {
      if (configs != null && configs.length > 0)
        throw new Problem('not_implemented', 'Secrets are sent to no host, so a secret cannot name one.', {
          hint: 'Leave configs out.',
        });
      if (value != null) await writeSecret(db, sealed(workspace_id, key, value));
      else if (!(await listSecretNames(db, workspace_id)).includes(key))
        throw new Problem('not_found', 'There is no secret of this name: a new one needs a value.');
      return { key };
    },
    deleteWorkspaceSecret: async ({ workspace_id, params: { key } }) =>
      writeSecret(db, sealed(workspace_id, key, null)),
  };
}
