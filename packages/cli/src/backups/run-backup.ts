import { existsSync } from 'node:fs';
import { BLOB_STORES, checkBlobsPlace, openBlobs, readPlace } from '@roadstead/blobs';
import {
  type Backup,
  type BackupPlace,
  listBackups,
  makeBackup,
  pruneBackups,
  type PruneReport,
  readKeys,
  restoreBackup,
  type SourceDatabase,
} from '@roadstead/backup';
import { ROADSTEAD_VERSION } from '@roadstead/contracts';
import { CONTROL_PLANE_SCHEMA, controlPlaneMigrations, listDeploymentIds } from '@roadstead/control-plane';
import { databaseNameOf, ENGINE_SCHEMA, engineMigrations, openSharedDatabases } from '@roadstead/data-plane';
import { IDENTITY_SCHEMA, identityMigrations } from '@roadstead/identity';
import { type Config, Problem, randomToken, readConfig } from '@roadstead/kit';
import { ensurePartitionsOf, TRACES_SCHEMA, tracesMigrations } from '@roadstead/observability';
import { openDatabase, withDatabaseName } from '@roadstead/postgres';
import { backupSettings } from './backup-settings.ts';
import { readKeyFiles, writeKeyFiles } from './key-files.ts';
import { type Installation, openInstallation } from './open-installation.ts';

interface Run {
  /** A folder or the address of a bucket. */
  readonly place: string;
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

/** A deployment whose database is not in a backup. */
interface LeftOut {
  readonly deployment_id: string;
  /** Goes on after "its database". */
  readonly because: string;
}

type CreatedBackup = Awaited<ReturnType<typeof makeBackup>> & {
  readonly left_out: readonly LeftOut[];
  readonly hasSecretKey: boolean;
};

/** Backs up what the settings name. Databases of their own servers are left out, and named. */
export async function createBackup({ place, signal, tell }: Run): Promise<CreatedBackup> {
  const config = readConfig(backupSettings);
  const to = await openPlace(place, { config, tell, isNew: true });
  await using installation = await openInstallation({ config, alone: false, signal });
  const { urls, blobs, folder } = installation;
  const keys = folder === undefined ? undefined : await readKeyFiles(folder);
  const left_out: LeftOut[] = [];
  const made = await makeBackup(
    {
      version: ROADSTEAD_VERSION,
      databases: [
        { name: 'platform', url: urls.platform, schemas: [IDENTITY_SCHEMA, CONTROL_PLANE_SCHEMA] },
        { name: 'traces', url: urls.traces, schemas: [TRACES_SCHEMA] },
      ],
      listAgents: async () => listAgents(urls, (one) => left_out.push(one)),
      blobs,
      keys,
    },
    to,
    { signal, tell },
  );
  return { ...made, left_out, hasSecretKey: keys?.['secret-key'] !== undefined };
}

/** The databases of deployments that are there. */
async function listAgents(
  { platform, agents }: Installation['urls'],
  onLeftOut: (one: LeftOut) => void,
): Promise<SourceDatabase[]> {
  await using db = openDatabase({
    url: platform,
    max: 1,
    name: 'roadstead backup',
    schema: CONTROL_PLANE_SCHEMA,
  });
  await using databases = openSharedDatabases({ admin_url: agents, password_key: '' });
  const found: SourceDatabase[] = [];
  for (const deployment_id of await listDeploymentIds(db)) {
    const name = databaseNameOf(deployment_id);
    const url = withDatabaseName(agents, name);
    const isGone = async () => !(await hasDatabase(agents, deployment_id));
    const place = await databases.findElsewhere(deployment_id);
    if (place !== undefined) onLeftOut({ deployment_id, because: `is a server of its own (${place})` });
    else if (await databases.has(deployment_id)) found.push({ name, url, schemas: [ENGINE_SCHEMA], isGone });
    else onLeftOut({ deployment_id, because: 'is not on the server of ROADSTEAD_AGENTS_DATABASE_URL' });
  }
  return found;
}

async function hasDatabase(admin_url: string, deployment_id: string): Promise<boolean> {
  await using databases = openSharedDatabases({ admin_url, password_key: '' });
  return databases.has(deployment_id);
}

/** Restores the backup of this digest, or the newest, into what the settings name. */
export async function restoreInto({
  place,
  digest,
  signal,
  tell,
}: Run & { readonly digest: string | undefined }): Promise<Backup> {
  const config = readConfig(backupSettings);
  const from = await openPlace(place, { config, tell });
  const backup = await findBackup(from, { place, digest });
  const keys = await readKeys(backup, from);
  await using installation = await openInstallation({ config, alone: true, signal });
  const { urls, blobs, folder } = installation;
  if (keys !== undefined && folder === undefined)
    throw new Problem(
      'invalid',
      'The backup has keys, and there is no folder for them; set ROADSTEAD_DATA_DIR.',
    );
  // Without its own a data plane gives the roles of its databases other passwords.
  await using databases = openSharedDatabases({
    admin_url: urls.agents,
    password_key: keys?.['databases-key'] ?? randomToken(32),
  });
  await restoreBackup(backup, from, {
    into: {
      schemas: {
        [IDENTITY_SCHEMA]: { migrations: identityMigrations },
        [CONTROL_PLANE_SCHEMA]: { migrations: controlPlaneMigrations },
        [TRACES_SCHEMA]: { migrations: tracesMigrations, prepare: ensurePartitionsOf },
        [ENGINE_SCHEMA]: { migrations: engineMigrations },
      },
      findAddress: async (database) => {
        if (database === 'platform' || database === 'traces') return urls[database];
        const isThere = await databases.has(deploymentOf(database));
        return isThere ? withDatabaseName(urls.agents, database) : undefined;
      },
      addressOf: async (database) => {
        if (database === 'platform' || database === 'traces') return urls[database];
        return databases.ensure(deploymentOf(database));
      },
      blobs,
      begin: async () => {
        if (keys !== undefined && folder !== undefined) await writeKeyFiles(folder, keys);
      },
    },
    signal,
    tell,
  });
  return backup;
}

/** Removes all but the newest backups of a place. */
export async function pruneAt({
  place,
  keep,
  signal,
  tell,
}: Run & { readonly keep: number }): Promise<PruneReport> {
  const from = await openPlace(place, { config: readConfig(backupSettings), tell });
  return pruneBackups(from, { keep, signal, tell });
}

/** The backups of a place. */
export async function backupsOf({ place, tell }: Omit<Run, 'signal'>) {
  return listBackups((await openPlace(place, { config: readConfig(backupSettings), tell })).manifests);
}

async function openPlace(text: string, { config, tell, isNew = false }: PlaceOptions): Promise<BackupPlace> {
  const place = readPlace(config, text);
  if (!isNew && place.now.kind === 'folder' && !existsSync(place.now.path))
    throw new Problem('not_found', `There is no folder ${place.now.path}.`);
  await checkBlobsPlace(place, { warn: tell });
  const blobs = BLOB_STORES.map(async (store) => [store, await openBlobs(place, `backup-${store}`)] as const);
  return {
    manifests: await openBlobs(place, 'manifests'),
    tables: await openBlobs(place, 'tables'),
    blobs: Object.fromEntries(await Promise.all(blobs)),
  };
}

interface PlaceOptions extends Pick<Run, 'tell'> {
  readonly config: Config<typeof backupSettings>;
  /** Whether it is made where there is none. */
  readonly isNew?: boolean;
}

async function findBackup(
  { manifests }: BackupPlace,
  { place, digest }: { readonly place: string; readonly digest: string | undefined },
): Promise<Backup> {
  const { backups, unreadable } = await listBackups(manifests);
  const hint = `\`roadstead backup list ${place}\` shows those that are there.`;
  if (digest === undefined && unreadable.length > 0)
    throw new Problem(
      'invalid',
      `A backup at ${place} is damaged or of a newer version: ${unreadable.join(', ')}. Say which one to restore.`,
      { hint: `--at DIGEST; ${hint}` },
    );
  const wanted = digest?.replace(/^sha256:/, '') ?? '';
  const found =
    digest === undefined
      ? backups.slice(0, 1)
      : backups.filter((one) => one.digest.slice(7).startsWith(wanted));
  const [backup] = found;
  if (backup === undefined || wanted.length > 64)
    throw new Problem('not_found', `There is no backup ${digest ?? ''} at ${place}.`.replace('  ', ' '), {
      hint,
    });
  if (found.length > 1) throw new Problem('invalid', `Several backups begin with ${digest}.`, { hint });
  return backup;
}

/** The id within the name of its database. */
function deploymentOf(database: string): string {
  const hex = /^agent_([0-9a-f]{32})$/.exec(database)?.[1];
  if (hex === undefined)
    throw new Problem('invalid', `The backup has a database that nothing uses: ${database}.`);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
