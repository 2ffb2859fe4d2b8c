import { z } from 'zod';
import { createPrivateKey } from 'node:crypto';
import { ALL_WORKSPACES } from '@roadstead/contracts';
import { inwardOf, keysInPem, toNodeListener } from '@roadstead/http';
import { createSecretBox, setting } from '@roadstead/kit';
import { isReachable } from '@roadstead/postgres';
import { allowedHostsSetting, createGuardedFetch } from '@roadstead/outbound';
import {
  Address,
  addressSetting,
  databaseSetting,
  openServiceDatabase,
  ServiceKey,
  type ServiceProgram,
} from '@roadstead/service';
import { IDENTITY_SCHEMA, startIdentity } from './identity.ts';
import { companyOf, companySettings } from './sign-in/company-settings.ts';
import { MOST_WORKSPACES } from './records/lineage-rules.ts';

const key = (env: string, doc: string) => setting({ env, doc, schema: ServiceKey.optional(), secret: true });

/** Also a setting of `roadstead up`. */
export const clientDocumentsSetting = setting({
  env: 'ROADSTEAD_CLIENT_DOCUMENTS',
  doc: 'Whether applications may be known by a document at an address of theirs, which is fetched from the internet when people sign in. Without it (`false`) they register themselves.',
  schema: z.stringbool().default(true),
});

/** Also a setting of `roadstead up`. */
export const workspacesSetting = setting({
  env: 'ROADSTEAD_WORKSPACES',
  doc: 'How many workspaces may descend from one, made with any of its keys or theirs; a tenth of that for one that another workspace made.',
  schema: z.coerce.number().int().min(0).default(MOST_WORKSPACES),
});

const settings = {
  database_url: databaseSetting('DATABASE_URL', 'Postgres; its schema `identity` is used.'),
  signing_key: setting({
    env: 'ROADSTEAD_SIGNING_KEY',
    doc: 'Private Ed25519 key in PEM (PKCS 8) that signs assertions; no one else may have it. Of several that follow each other the first signs and all are good: a new one is added at the end of the text in every instance before it is put first in any.',
    schema: z.string().refine(areEd25519, 'it must be an Ed25519 private key in PEM'),
    secret: true,
  }),
  public_url: addressSetting('ROADSTEAD_URL', 'Address of the edge, which is the issuer of access tokens.'),
  secret_key: setting({
    env: 'ROADSTEAD_SECRET_KEY',
    doc: 'Keys that seal what is secret in the database, separated by commas; the first seals, all open.',
    schema: ServiceKey,
    secret: true,
  }),
  allowed_hosts: allowedHostsSetting,
  client_documents: clientDocumentsSetting,
  workspaces: workspacesSetting,
  ...companySettings,
  workspace_id: setting({
    env: 'ROADSTEAD_WORKSPACE_ID',
    doc: 'The first workspace.',
    schema: z.uuid(),
  }),
  api_key: setting({
    env: 'ROADSTEAD_API_KEY',
    doc: 'The first API key, an administrator’s; it should begin with `rs_`, so that it is recognised anywhere.',
    schema: ServiceKey,
    secret: true,
  }),
  edge_key: key('ROADSTEAD_EDGE_KEY', 'Key by which the edge proves itself.'),
  control_plane_key: key('ROADSTEAD_CONTROL_PLANE_KEY', 'Key by which the control plane proves itself.'),
  observability_key: key('ROADSTEAD_OBSERVABILITY_KEY', 'Key by which observability proves itself.'),
  control_url: setting({
    env: 'ROADSTEAD_CONTROL_PLANE_URL',
    doc: 'Address of the control plane; with observability’s, workspaces can be deleted.',
    schema: Address.optional(),
  }),
  observability_url: setting({
    env: 'ROADSTEAD_OBSERVABILITY_URL',
    doc: 'Address of observability; with the control plane’s, workspaces can be deleted.',
    schema: Address.optional(),
  }),
  listener_key: key(
    'ROADSTEAD_LISTENER_KEY',
    'Key of the platform’s own listener, which is the data plane’s.',
  ),
};

export const identityProgram: ServiceProgram<typeof settings> = {
  name: 'identity',
  summary: 'Workspaces and API keys: verifies callers for the edge and signs who they are.',
  settings,
  start: async (config, log) => {
    await using stack = new AsyncDisposableStack();
    const db = stack.use(openServiceDatabase({ url: config.database_url, schema: IDENTITY_SCHEMA, log }));
    const { edge_key: edge, control_plane_key, observability_key, control_url, observability_url } = config;
    const identity = stack.use(
      await startIdentity({
        db,
        log,
        signing_key_pem: config.signing_key,
        secret_box: createSecretBox(config.secret_key.split(',')),
        public_url: config.public_url,
        outbound: config.client_documents
          ? createGuardedFetch({ allowed_hosts: config.allowed_hosts })
          : undefined,
        default_workspace: { id: config.workspace_id, name: 'default' },
        most_workspaces: config.workspaces,
        company: companyOf(config, createGuardedFetch({ allowed_hosts: config.allowed_hosts })),
        holders:
          control_url === undefined || observability_url === undefined
            ? undefined
            : { control_plane: { url: control_url }, observability: { url: observability_url } },
        service_keys: {
          ...(edge === undefined ? {} : { edge }),
          ...(control_plane_key === undefined ? {} : { 'control-plane': control_plane_key }),
          ...(observability_key === undefined ? {} : { observability: observability_key }),
        },
      }),
    );
    await identity.ensureKey({
      workspace_id: config.workspace_id,
      name: 'first',
      scopes: ['admin'],
      key: config.api_key,
    });
    if (config.listener_key !== undefined)
      await identity.ensureKey({
        workspace_id: ALL_WORKSPACES,
        name: 'embedded listener',
        scopes: ['listener'],
        key: config.listener_key,
      });
    const opened = stack.move();
    return {
      listener: toNodeListener((request, address) =>
        identity.served.fetch(request, { address, ...inwardOf(request) }),
      ),
      health: async () => ({ ready: await isReachable(db), warnings: [] }),
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  },
};

function areEd25519(text: string): boolean {
  try {
    const keys = keysInPem(text);
    return keys.length > 0 && keys.every((pem) => createPrivateKey(pem).asymmetricKeyType === 'ed25519');
  } catch {
    return false;
  }
}
