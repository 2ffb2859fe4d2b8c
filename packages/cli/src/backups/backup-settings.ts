import { blobsSettings } from '@roadstead/blobs';
import { setting } from '@roadstead/kit';
import { DatabaseUrl } from '@roadstead/service';
import { platformSettings } from '../platform/platform-config.ts';

const { data_folder, database_url, traces_database_url, log_level } = platformSettings;

/** What tells a backup where everything is: the settings of what is backed up. */
export const backupSettings = {
  data_folder,
  database_url,
  traces_database_url,
  agents_database_url: setting({
    env: 'ROADSTEAD_AGENTS_DATABASE_URL',
    doc: 'The server of the databases of deployments, as an administrator of it.',
    schema: DatabaseUrl.optional(),
    shown_default: 'the server of DATABASE_URL',
    secret: true,
  }),
  ...blobsSettings,
  log_level,
};
