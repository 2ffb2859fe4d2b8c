import { CONTROL_PLANE_SCHEMA, migrateControlPlane } from '@roadstead/control-plane';
import { IDENTITY_SCHEMA, migrateIdentity } from '@roadstead/identity';
import { createLog, logLevelSetting, readConfig, setting } from '@roadstead/kit';
import { migrateTraces, TRACES_SCHEMA } from '@roadstead/observability';
import { DatabaseUrl, openServiceDatabase } from '@roadstead/service';
import { ensureElsewhere } from './stores.ts';

/** Settings of `roadstead migrate`. */
const migrationSettings = {
  database_url: setting({
    env: 'DATABASE_URL',
    doc: 'Postgres of the platform.',
    schema: DatabaseUrl,
    secret: true,
  }),
  traces_database_url: setting({
    env: 'TRACES_DATABASE_URL',
    doc: 'Postgres for traces.',
    schema: DatabaseUrl.optional(),
    shown_default: 'database `roadstead_traces` on the server of DATABASE_URL',
    secret: true,
  }),
  log_level: logLevelSetting,
};

/** Brings the databases of the platform to this version, each schema as its service would when it starts. */
export async function runMigrations(onProgress: (line: string) => void): Promise<void> {
  const config = readConfig(migrationSettings);
  const log = createLog({ level: config.log_level }, { process: 'migrate' });
  const { platform, traces } = await ensureElsewhere(config);
  const schemas = [
    { url: platform, schema: IDENTITY_SCHEMA, migrate: migrateIdentity },
    { url: platform, schema: CONTROL_PLANE_SCHEMA, migrate: migrateControlPlane },
    { url: traces, schema: TRACES_SCHEMA, migrate: migrateTraces },
  ];
  for (const { url, schema, migrate } of schemas) {
    await using db = openServiceDatabase({ url, schema, log, max: 2 });
    await migrate(db);
    onProgress(`the schema ${schema} is up to date`);
  }
}
