import { z } from 'zod';
import { toNodeListener } from '@roadstead/http';
import { blobsSettings, checkBlobsPlace, openBlobs, readBlobsPlace } from '@roadstead/blobs';
import { createSecretBox, setting, tendHeap } from '@roadstead/kit';
import {
  allowedHostsSetting,
  createGuardedFetch,
  createGuardedStream,
  createMailer,
  mailServerOf,
  smtpSettings,
} from '@roadstead/outbound';
import {
  addressSetting,
  createFetchingVerifier,
  databaseSetting,
  identityClient,
  identityUrlSetting,
  openServiceDatabase,
  ServiceKey,
  type ServiceProgram,
} from '@roadstead/service';
import { startObservability } from './observability.ts';

/** A connection that stays open spares an occasional request the time to connect and to read the catalogue. */
export const SERVING_CONNECTIONS = { max: 6, kept: 2 } as const;

/** Also a setting of `roadstead up`. */
export const publicSharingSetting = setting({
  env: 'ROADSTEAD_PUBLIC_SHARING',
  doc: 'Whether traces and datasets may be shared by links that need no key (`true`).',
  schema: z.stringbool().default(false),
});

/** Also a setting of `roadstead up`. */
export const monthlyTracesSetting = setting({
  env: 'ROADSTEAD_MONTHLY_TRACES',
  doc: 'Traces that each workspace may begin a month; beyond them ingestion answers 429.',
  schema: z.coerce.number().int().min(0).optional(),
  shown_default: 'any number',
});

/** Also a setting of `roadstead up`. */
export const monthlyBytesSetting = setting({
  env: 'ROADSTEAD_MONTHLY_BYTES',
  doc: 'Bytes that the traces of each workspace may bring a month, compressed; beyond them ingestion answers 429.',
  schema: z.coerce.number().int().min(0).optional(),
  shown_default: 'any number',
});

const settings = {
  database_url: databaseSetting('TRACES_DATABASE_URL', 'Postgres for traces, a database of their own.'),
  identity_url: identityUrlSetting,
  data_folder: setting({
    env: 'ROADSTEAD_DATA_DIR',
    doc: 'Folder of attachments, unless ROADSTEAD_BLOBS_URL names a place for them; several instances share one.',
    schema: z.string().min(1).optional(),
    shown_default: 'ROADSTEAD_BLOBS_URL is needed',
  }),
  ...blobsSettings,
  public_url: addressSetting('ROADSTEAD_URL', 'Address of the edge, as clients have it.'),
  service_key: setting({
    env: 'ROADSTEAD_OBSERVABILITY_KEY',
    doc: 'Key by which it proves itself to identity.',
    schema: ServiceKey,
    secret: true,
  }),
  secret_key: setting({
    env: 'ROADSTEAD_SECRET_KEY',
    doc: 'Keys that seal secrets, separated by commas; the first seals, all open.',
    schema: ServiceKey,
    secret: true,
  }),
  public_sharing: publicSharingSetting,
  monthly_traces: monthlyTracesSetting,
  monthly_bytes: monthlyBytesSetting,
  allowed_hosts: allowedHostsSetting,
  ...smtpSettings,
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
    const place = readBlobsPlace(config, config.data_folder);
    await checkBlobsPlace(place, log);
    const mail_server = mailServerOf(config);
    const observability = stack.use(
      await startObservability({
        db: stack.use(
          openServiceDatabase({ url: config.database_url, schema: 'traces', log, ...SERVING_CONNECTIONS }),
        ),
        verify: createFetchingVerifier(identityClient({ base_url: config.identity_url }), 'observability'),
        blobs: await openBlobs(place, 'attachments'),
        ingestion_thread: { database_url: config.database_url, blobs: place },
        secret_box: createSecretBox(config.secret_key.split(',')),
        public_url: config.public_url,
        public_sharing: config.public_sharing,
        monthly_traces: config.monthly_traces,
        monthly_bytes: config.monthly_bytes,
        workspaces: (workspace_id) =>
          identityClient({ base_url: config.identity_url, key: config.service_key, workspace_id }),
        outbound: createGuardedFetch({ allowed_hosts: config.allowed_hosts }),
        model_fetch: createGuardedStream({ allowed_hosts: config.allowed_hosts }),
        mailer: mail_server && createMailer(mail_server),
        data_folder: config.traces_folder,
        log,
      }),
    );
    // The heap of the thread is tended as well: the growth of heaps is a setting of the process.
    stack.use(tendHeap());
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
