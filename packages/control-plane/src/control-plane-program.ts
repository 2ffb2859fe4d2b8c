import { z } from 'zod';
import { toNodeListener } from '@roadstead/http';
import { blobsSettings, checkBlobsPlace, openBlobs, readBlobsPlace } from '@roadstead/blobs';
import { type Config, createSecretBox, setting } from '@roadstead/kit';
import { allowedHostsSetting, createGuardedFetch } from '@roadstead/outbound';
import {
  addressSetting,
  createFetchingVerifier,
  databaseSetting,
  identityClient,
  identityUrlSetting,
  ServiceKey,
  openServiceDatabase,
  type ServiceProgram,
} from '@roadstead/service';
import { CONTROL_PLANE_SCHEMA, type ControlPlaneOptions, startControlPlane } from './control-plane.ts';
import { createNeighbours } from './neighbours.ts';

/** Also a setting of `roadstead up`. */
export const binDaysSetting = setting({
  env: 'ROADSTEAD_BIN_DAYS',
  doc: 'Days that a deleted deployment rests in the bin.',
  schema: z.coerce.number().int().min(0).default(7),
});

/** Also a setting of `roadstead up`. */
export const gitPollSetting = setting({
  env: 'ROADSTEAD_GIT_POLL_S',
  doc: 'Seconds between two looks at a branch that is built on push; 0 for never. Where webhooks come, 900 at least.',
  schema: z.coerce.number().int().min(0).default(60),
});

/** Also a setting of `roadstead up`. */
export const authCallbackPathSetting = setting({
  env: 'ROADSTEAD_AUTH_CALLBACK_PATH',
  doc: 'Path to which OAuth providers of agents return browsers, before the id of the provider. Whoever moves here from another platform keeps the address that is registered there.',
  schema: z.enum(['/v2/auth/callback', '/api-host/v2/auth/callback']).default('/v2/auth/callback'),
});

/** Also settings of `roadstead up`. */
export const imageSettings = {
  registry_url: setting({
    env: 'ROADSTEAD_REGISTRY_URL',
    doc: 'Registry to which images of source `internal_image` are pushed in place of that of Roadstead, such as `registry.example.com/agents`; the listener logs in there itself.',
    schema: z
      .string()
      .regex(/^(?:https?:\/\/)?[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?(?:\/[a-z0-9._/-]+)?\/?$/)
      .transform((url) => url.replace(/^https?:\/\//, '').replace(/\/+$/, ''))
      // Names there would be those of our own registry.
      .refine((name) => !/^[^/]+\/images$/.test(name), 'must name another path than images')
      .optional(),
    shown_default: 'the own one, at ROADSTEAD_URL',
  }),
  registry_login: setting({
    env: 'ROADSTEAD_REGISTRY_LOGIN',
    doc: 'File with the login at ROADSTEAD_REGISTRY_URL, as `docker login` writes it (`config.json`). Pushes get a token for their repository by it, where the registry has a service of tokens.',
    schema: z.string().min(1).optional(),
    shown_default: 'none: who pushes logs in there',
  }),
  registry_share_login: setting({
    env: 'ROADSTEAD_REGISTRY_SHARE_LOGIN',
    doc: 'Whether pushes get the login of ROADSTEAD_REGISTRY_LOGIN itself where the registry asks for a password and has no tokens (`true`). Who has it can read and replace the images of all workspaces.',
    schema: z.stringbool().default(false),
  }),
  images_gb: setting({
    env: 'ROADSTEAD_IMAGES_GB',
    doc: 'Gigabytes that the images which a workspace pushes may take.',
    schema: z.coerce.number().min(0).default(20),
  }),
  images_days: setting({
    env: 'ROADSTEAD_IMAGES_DAYS',
    doc: 'Days that a pushed image is kept which no revision has, from its last push on.',
    schema: z.coerce.number().int().min(1).max(3650).default(30),
  }),
};

export const imagesOf = ({
  registry_url,
  registry_login,
  registry_share_login,
  images_gb,
  images_days,
}: Config<typeof imageSettings>): ControlPlaneOptions['images'] => ({
  registry_url,
  login_file: registry_login,
  share_login: registry_share_login,
  max_bytes: images_gb * 1_000_000_000,
  kept_days: images_days,
});

const settings = {
  database_url: databaseSetting('DATABASE_URL', 'Postgres; its schema `control` is used.'),
  data_folder: setting({
    env: 'ROADSTEAD_DATA_DIR',
    doc: 'Folder of sources and artifacts, unless ROADSTEAD_BLOBS_URL names a place for them.',
    schema: z.string().min(1).optional(),
    shown_default: 'ROADSTEAD_BLOBS_URL is needed',
  }),
  ...blobsSettings,
  public_url: addressSetting('ROADSTEAD_URL', 'Address of the edge, as clients and listeners have it.'),
  agent_url: setting({
    env: 'ROADSTEAD_AGENT_URL',
    doc: 'Address of an agent; `{slug}` stands for its name.',
    schema: z.string().includes('{slug}').optional(),
    shown_default: '{ROADSTEAD_URL}/agents/{slug}',
  }),
  identity_url: identityUrlSetting,
  observability_url: addressSetting('ROADSTEAD_OBSERVABILITY_URL', 'Address of observability.'),
  service_key: setting({
    env: 'ROADSTEAD_CONTROL_PLANE_KEY',
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
  address_secret: setting({
    env: 'ROADSTEAD_ADDRESS_SECRET',
    doc: 'Signs upload and blob addresses.',
    schema: ServiceKey,
    secret: true,
  }),
  listener_id: setting({
    env: 'ROADSTEAD_LISTENER_ID',
    doc: 'The platform’s own listener, which is the data plane’s.',
    schema: z.uuid(),
  }),
  bin_days: binDaysSetting,
  templates_folder: setting({
    env: 'ROADSTEAD_TEMPLATES_DIR',
    doc: 'Folder of templates, a folder each.',
    schema: z.string().min(1).optional(),
    shown_default: 'those that come with Roadstead',
  }),
  git_poll_s: gitPollSetting,
  allowed_hosts: allowedHostsSetting,
  auth_callback_path: authCallbackPathSetting,
  ...imageSettings,
};

export const controlPlaneProgram: ServiceProgram<typeof settings> = {
  name: 'control-plane',
  summary: 'Deployments and revisions: records what should run, for listeners to follow.',
  settings,
  start: async (config, log) => {
    await using stack = new AsyncDisposableStack();
    const { agent_url = `${config.public_url}/agents/{slug}` } = config;
    const place = readBlobsPlace(config, config.data_folder);
    await checkBlobsPlace(place, log);
    const control = stack.use(
      await startControlPlane({
        db: stack.use(openServiceDatabase({ url: config.database_url, schema: CONTROL_PLANE_SCHEMA, log })),
        blobs: await openBlobs(place, 'blobs'),
        secret_box: createSecretBox(config.secret_key.split(',')),
        address_secret: config.address_secret,
        verify: createFetchingVerifier(identityClient({ base_url: config.identity_url }), 'control-plane'),
        clients: createNeighbours({
          identity: { url: config.identity_url },
          observability: { url: config.observability_url },
          service_key: config.service_key,
        }),
        outbound: createGuardedFetch({ allowed_hosts: config.allowed_hosts }),
        allowed_hosts: config.allowed_hosts,
        auth_callback_path: config.auth_callback_path,
        public_url: config.public_url,
        agent_url: (slug) => agent_url.replace('{slug}', slug),
        embedded_listener: { id: config.listener_id },
        bin_days: config.bin_days,
        templates_folder: config.templates_folder,
        git_poll_s: config.git_poll_s,
        images: imagesOf(config),
        log,
      }),
    );
    const opened = stack.move();
    return {
      listener: toNodeListener((request) => control.served.fetch(request)),
      health: async () => {
        const ready = await control.ready();
        return { ready, warnings: ready ? await control.warnings() : [] };
      },
      endStreams: () => control.endStreams(),
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  },
};
