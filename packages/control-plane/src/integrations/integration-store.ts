import type { IntegrationKind, ShownCredential } from '@roadstead/contracts/control-plane';
import { Problem, type Span } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import type { StoredCredential } from '../git-hosts/credential-rules.ts';
import type { RowKey } from '../records/keys.ts';

export interface IntegrationRow {
  readonly id: string;
  readonly number: number;
  readonly workspace_id: string;
  readonly kind: IntegrationKind;
  readonly name: string;
  readonly host: string;
  readonly credential_kind: StoredCredential['kind'] | null;
  readonly credential_shown: ShownCredential | null;
  readonly credential_sealed: string | null;
  readonly webhook_secret_sealed: string;
  readonly webhook_received_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

const columns = `id, number, workspace_id, kind, name, host, credential_kind, credential_shown, credential_sealed,
  webhook_secret_sealed, webhook_received_at, created_at, updated_at`;

/** Finds an integration in any workspace. */
export async function findIntegration(db: Queryable, id: string): Promise<IntegrationRow | undefined> {
  return db.maybe<IntegrationRow>(`select ${columns} from integrations where id = $1`, [id]);
}

/** Throws `not_found` outside its workspace. */
export async function readIntegration(db: Queryable, { workspace_id, id }: RowKey): Promise<IntegrationRow> {
  const found = await findIntegration(db, id);
  if (found === undefined || found.workspace_id !== workspace_id) throw noIntegration();
  return found;
}

/** Prevents changes and removal until the transaction ends. Undefined outside its workspace. */
export async function holdIntegration(
  tx: Transaction,
  { workspace_id, id }: RowKey,
): Promise<IntegrationRow | undefined> {
  return tx.maybe<IntegrationRow>(
    `select ${columns} from integrations where id = $1 and workspace_id = $2 for share`,
    [id, workspace_id],
  );
}

export type SealedCredential = Pick<
  IntegrationRow,
  'credential_kind' | 'credential_shown' | 'credential_sealed'
>;
type SealedIntegration = SealedCredential &
  Pick<IntegrationRow, 'id' | 'workspace_id' | 'kind' | 'name' | 'host' | 'webhook_secret_sealed'>;

export async function insertIntegration(tx: Transaction, fresh: SealedIntegration): Promise<IntegrationRow> {
  return tx.one<IntegrationRow>(
    `insert into integrations (id, workspace_id, kind, name, host, credential_kind, credential_shown,
       credential_sealed, webhook_secret_sealed)
     values ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8, $9) returning ${columns}`,
    [fresh.id, fresh.workspace_id, fresh.kind, fresh.name, fresh.host, ...sealed(fresh)],
  );
}

/** Taken before an integration is changed or removed. Throws `not_found` outside its workspace. */
export async function lockIntegration(
  tx: Transaction,
  { workspace_id, id }: RowKey,
): Promise<IntegrationRow> {
  const found = await tx.maybe<IntegrationRow>(
    `select ${columns} from integrations where id = $1 and workspace_id = $2 for update`,
    [id, workspace_id],
  );
  if (found === undefined) throw noIntegration();
  return found;
}

/** Updates all fields that can change. */
export async function updateIntegration(
  tx: Transaction,
  changed: SealedIntegration,
): Promise<IntegrationRow> {
  return tx.one<IntegrationRow>(
    `update integrations set name = $2, credential_kind = $3, credential_shown = $4::text::jsonb,
       credential_sealed = $5, webhook_secret_sealed = $6, updated_at = now()
     where id = $1 returning ${columns}`,
    [changed.id, changed.name, ...sealed(changed)],
  );
}

function sealed(written: SealedIntegration): readonly (string | null)[] {
  const { credential_kind, credential_shown, credential_sealed, webhook_secret_sealed } = written;
  const shown = credential_shown === null ? null : JSON.stringify(credential_shown);
  return [credential_kind, shown, credential_sealed, webhook_secret_sealed];
}

export async function deleteIntegration(tx: Transaction, id: string): Promise<void> {
  await tx.run('delete from integrations where id = $1', [id]);
}

/** The names of the deployments that use it; those in the bin don't count. */
export async function listUsers(db: Queryable, id: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    'select name from deployments where integration_id = $1 and deleted_at is null order by name limit 20',
    [id],
  );
  return rows.map((row) => row.name);
}

/** The newest integration with a GitHub App. */
export async function findApp(db: Queryable, workspace_id: string): Promise<IntegrationRow | undefined> {
  return db.maybe<IntegrationRow>(
    `select ${columns} from integrations where workspace_id = $1 and credential_kind = 'github_app'
     order by id desc limit 1`,
    [workspace_id],
  );
}

/** Integrations, newest first. */
export async function listIntegrations(
  db: Queryable,
  workspace_id: string,
  { after, limit }: Span,
): Promise<IntegrationRow[]> {
  return db.query<IntegrationRow>(
    `select ${columns} from integrations where workspace_id = $1 and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [workspace_id, after ?? null, limit],
  );
}

export function noIntegration(): Problem {
  return new Problem('not_found', 'There is no such integration in this workspace.');
}
