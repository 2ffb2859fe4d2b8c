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

/** Backs up what the settings name. Databases of their own servers are left out, and named. */
export async function createBackup({
  place,
  signal,
  tell,
}: Run): Promise<Backup & { readonly damaged: readonly string[]; readonly left_out: readonly string[] }> {
  const config = readConfig(backupSettings);
  const to = await openPlace(place, { config, tell });
  await using installation = await openInstallation({ config, alone: false, signal });
  const { urls, blobs, folder } = installation;
  const left_out: string[] = [];
  const made = await makeBackup(
    {
      version: ROADSTEAD_VERSION,
      databases: [
        { name: 'platform', url: urls.platform, schemas: [IDENTITY_SCHEMA, CONTROL_PLANE_SCHEMA] },
        { name: 'traces', url: urls.traces, schemas: [TRACES_SCHEMA] },
      ],
      listAgents: async () => listAgents(urls, (deployment_id) => left_out.push(deployment_id)),
      blobs,
      keys: folder === undefined ? undefined : await readKeyFiles(folder),
    },
    to,
    { signal, tell },
  );
  return { ...made, left_out };
}

/** The databases of deployments that are there. */
async function listAgents(
  { platform, agents }: Installation['urls'],
  onElsewhere: (deployment_id: string) => void,
): Promise<SourceDatabase[]> {
  await using db = openDatabase({
    url: platform,
    max: 1,
    name: 'roadstead backup',
    schema: CONTROL_PLANE_SCHEMA,
  });
  await using databases = openSharedDatabases({ admin_url: agents, password_key: '' });
  const found: SourceDatabase[] = [];
  for (const id of await listDeploymentIds(db)) {
    const name = databaseNameOf(id);
    if ((await databases.findElsewhere(id)) !== undefined) onElsewhere(id);
    else if (await databases.has(id))
      found.push({ name, url: withDatabaseName(agents, name), schemas: [ENGINE_SCHEMA] });
  }
  return found;
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
  if (keys !== undefined && folder !== undefined) await writeKeyFiles(folder, keys);
  // Without ours a data plane gives the roles of its databases passwords by its own.
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
      addressOf: async (database) => {
        if (database === 'platform' || database === 'traces') return urls[database];
        return databases.ensure(deploymentOf(database));
      },
      blobs,
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

/** The backups of a place, the newest first. */
export async function backupsOf({ place, tell }: Omit<Run, 'signal'>): Promise<Backup[]> {
  return listBackups((await openPlace(place, { config: readConfig(backupSettings), tell })).manifests);
}

async function openPlace(
  text: string,
  { config, tell }: { readonly config: Config<typeof backupSettings>; readonly tell: (line: string) => void },
): Promise<BackupPlace> {
  const place = readPlace(config, text);
  await checkBlobsPlace(place, { warn: tell });
  const blobs = await Promise.all(
    BLOB_STORES.map(async (store) => [store, await openBlobs(place, store)] as const),
  );
  return {
    manifests: await openBlobs(place, 'manifests'),
    tables: await openBlobs(place, 'tables'),
    blobs: Object.fromEntries(blobs),
  };
}

async function findBackup(
  { manifests }: BackupPlace,
  { place, digest }: { readonly place: string; readonly digest: string | undefined },
): Promise<Backup> {
  const backups = await listBackups(manifests);
  const found = digest === undefined ? backups[0] : backups.find((one) => one.digest.startsWith(digest));
  if (found === undefined)
    throw new Problem(
      'not_found',
      digest === undefined ? `There is no backup at ${place}.` : `There is no backup ${digest} at ${place}.`,
      { hint: `\`roadstead backup list ${place}\` shows those that are there.` },
    );
  return found;
}

/** The id within the name of its database. */
function deploymentOf(database: string): string {
  const hex = /^agent_([0-9a-f]{32})$/.exec(database)?.[1];
  if (hex === undefined)
    throw new Problem('invalid', `The backup has a database that nothing uses: ${database}.`);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
