import type { SecretBox } from '@roadstead/kit';
import type { UnderLock, Queryable } from '@roadstead/postgres';
import type { EnvironmentChange } from './environment-rules.ts';

interface EnvironmentRow {
  readonly version: number;
  readonly names: string[];
  readonly sealed: string;
}

type Values = Readonly<Record<string, string>>;

/** Binds a sealed value to its row: moved to another one it can't be opened. */
const rowOf = (deployment_id: string, version: number) => `environment:${deployment_id}:${version}`;

/** Stores the next version, made from `base` (0 for no base) and a change; answers its number. */
export async function insertEnvironment(
  tx: UnderLock<'deployment'>,
  box: SecretBox,
  next: { readonly deployment_id: string; readonly base: number; readonly change: EnvironmentChange },
): Promise<number> {
  const { deployment_id, base, change } = next;
  const before: Values = base === 0 ? {} : await openEnvironment(tx, box, { deployment_id, version: base });
  const values = Object.fromEntries([
    ...change.keep.map((name) => [name, before[name] ?? ''] as const),
    ...change.set.map(({ name, value }) => [name, value] as const),
  ]);
  const { version } = await tx.one<{ version: number }>(
    'select coalesce(max(version), 0) + 1 as version from environments where deployment_id = $1',
    [deployment_id],
  );
  await tx.run('insert into environments (deployment_id, version, names, sealed) values ($1, $2, $3, $4)', [
    deployment_id,
    version,
    change.names,
    box.seal(JSON.stringify(values), rowOf(deployment_id, version)),
  ]);
  return version;
}

/** The values in plain text; throws when there is no such version or its encryption key is gone. */
export async function openEnvironment(
  db: Queryable,
  box: SecretBox,
  { deployment_id, version }: { readonly deployment_id: string; readonly version: number },
): Promise<Values> {
  const row = await db.one<EnvironmentRow>(
    'select version, names, sealed from environments where deployment_id = $1 and version = $2',
    [deployment_id, version],
  );
  return JSON.parse(box.open(row.sealed, rowOf(deployment_id, version))) as Values;
}

/** The names of the secrets in each of these versions. */
export async function readSecretNames(
  db: Queryable,
  {
    deployment_id,
    versions,
  }: { readonly deployment_id: string | null; readonly versions: readonly number[] },
): Promise<ReadonlyMap<number, readonly string[]>> {
  const rows = await db.query<Pick<EnvironmentRow, 'version' | 'names'>>(
    'select version, names from environments where deployment_id = $1 and version = any($2::integer[])',
    [deployment_id, [...new Set(versions)]],
  );
  return new Map(rows.map(({ version, names }) => [version, names]));
}
