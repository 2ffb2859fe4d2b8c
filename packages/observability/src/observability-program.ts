import { z } from 'zod';
import { setting, toNodeListener } from '@roadstead/kit';
import {
  createFetchingVerifier,
  databaseSetting,
  identityClient,
  identityUrlSetting,
  openServiceDatabase,
  type ServiceProgram,
} from '@roadstead/service';
import { startObservability } from './observability.ts';

const settings = {
  database_url: databaseSetting('TRACES_DATABASE_URL', 'Postgres for traces, a database of their own.'),
  identity_url: identityUrlSetting,
  traces_folder: setting({
    env: 'ROADSTEAD_TRACES_DISK',
    doc: 'Folder on whose disk the traces lie; when the disk is nearly full, no more are taken.',
    schema: z.string().min(1).optional(),
    shown_default: 'the disk is not watched',
  }),
};

export const observabilityProgram: ServiceProgram<typeof settings> = {
  name: 'observability',
  summary: 'Records traces and answers questions about them.',
  settings,
  start: async (config, log) => {
    await using stack = new AsyncDisposableStack();
    const observability = stack.use(
      await startObservability({
        db: stack.use(openServiceDatabase({ url: config.database_url, schema: 'traces', log })),
        verify: createFetchingVerifier(identityClient({ base_url: config.identity_url }), 'observability'),
        data_folder: config.traces_folder,
        log,
      }),
    );
    const opened = stack.move();
    return {
      listener: toNodeListener((request) => observability.served.fetch(request)),
      health: async () => ({
        ready: await observability.ready(),
        warnings: await observability.warnings(),
      }),
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  },
};
