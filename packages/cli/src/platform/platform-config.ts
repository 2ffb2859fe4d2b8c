import { z } from 'zod';
import { blobsSettings } from '@roadstead/blobs';
import {
  authCallbackPathSetting,
  binDaysSetting,
  gitPollSetting,
  imageSettings,
} from '@roadstead/control-plane';
import { clientDocumentsSetting, companySettings, workspacesSetting } from '@roadstead/identity';
import { logLevelSetting, setting } from '@roadstead/kit';
import { mcpEndpointsSetting } from '@roadstead/mcp-server';
import { monthlyBytesSetting, monthlyTracesSetting, publicSharingSetting } from '@roadstead/observability';
import { allowedHostsSetting, smtpSettings } from '@roadstead/outbound';
import { Address, DatabaseUrl, Port, processSettings, ServiceKey } from '@roadstead/service';
import { consoleSetting } from '../console/console-setting.ts';
import { trustedProxiesSetting } from './client-address.ts';

/** Settings of the platform. */
export const platformSettings = {
  host: processSettings.host,
  port: setting({
    env: 'PORT',
    doc: 'Port of the one origin.',
    schema: Port.default(4100),
  }),
  max_connections: setting({
    env: 'ROADSTEAD_MAX_CONNECTIONS',
    doc: 'Connections at once; further ones are closed. A call of an agent takes two open files more, unless its connection began with one.',
    schema: z.coerce.number().int().min(1).default(4000),
  }),
  request_s: setting({
    env: 'ROADSTEAD_REQUEST_S',
    doc: 'Seconds that a request may take to come in whole; its headers have 60 at most.',
    schema: z.coerce.number().int().min(1).default(600),
  }),
  public_url: setting({
    env: 'ROADSTEAD_URL',
    doc: 'Address under which clients reach the platform.',
    schema: Address.optional(),
    shown_default: 'http://127.0.0.1:{PORT}',
  }),
  agent_url: setting({
    env: 'ROADSTEAD_AGENT_URL',
    doc: 'Address of an agent; `{slug}` stands for its name.',
    schema: z.string().includes('{slug}').optional(),
    shown_default: '{ROADSTEAD_URL}/agents/{slug}',
  }),
  console: consoleSetting,
  data_folder: setting({
    env: 'ROADSTEAD_DATA_DIR',
    doc: 'Folder that holds everything.',
    schema: z.string().optional(),
    shown_default: '`.roadstead` in a checkout, else `~/.roadstead`',
  }),
  ...blobsSettings,
  database_url: setting({
    env: 'DATABASE_URL',
    doc: 'Postgres to use; unset, with TRACES_DATABASE_URL, starts the embedded one.',
    schema: DatabaseUrl.optional(),
    secret: true,
  }),
  traces_database_url: setting({
    env: 'TRACES_DATABASE_URL',
    doc: 'Postgres for traces.',
    schema: DatabaseUrl.optional(),
    shown_default: 'database `roadstead_traces` on the server of DATABASE_URL',
    secret: true,
  }),
  api_key: setting({
    env: 'ROADSTEAD_API_KEY',
    doc: 'The first API key; it should begin with `rs_`, so that it is recognised anywhere.',
    schema: ServiceKey.optional(),
    shown_default: 'made on first start, in the data folder’s `api-key`',
    secret: true,
  }),
  workspace_id: setting({
    env: 'ROADSTEAD_WORKSPACE_ID',
    doc: 'The first workspace.',
    schema: z.uuid().optional(),
    shown_default: 'made on first start',
  }),
  secret_key: setting({
    env: 'ROADSTEAD_SECRET_KEY',
    doc: 'Keys that seal secrets, separated by commas; the first seals, all open.',
    schema: ServiceKey.optional(),
    shown_default: 'made on first start, in the data folder',
    secret: true,
  }),
  bin_days: binDaysSetting,
  git_poll_s: gitPollSetting,
  ...imageSettings,
  auth_callback_path: authCallbackPathSetting,
  mcp_endpoints: mcpEndpointsSetting,
  public_sharing: publicSharingSetting,
  monthly_traces: monthlyTracesSetting,
  monthly_bytes: monthlyBytesSetting,
  allowed_hosts: allowedHostsSetting,
  ...smtpSettings,
  client_documents: clientDocumentsSetting,
  workspaces: workspacesSetting,
  ...companySettings,
  trusted_proxies: trustedProxiesSetting,
  log_level: logLevelSetting,
};

/** Variables for the platform alone: the data plane gets its own values, and user code gets none. */
const OURS = new Set(Object.values(platformSettings).flatMap(({ env }) => [env, `${env}_FILE`]));

/**
 * The environment that the data plane inherits: without our variables, and without those that npm adds for its own
 * run.
 */
export function inheritedEnvironment(
  environment: NodeJS.ProcessEnv = process.env,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !OURS.has(name) && !/^npm_(?!config_)/i.test(name) && name !== 'INIT_CWD',
    ),
  );
}
