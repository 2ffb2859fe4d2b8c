import { createHash, createPublicKey, randomBytes } from 'node:crypto';
import type {
  Integration,
  IntegrationCredential,
  IntegrationKind,
  ShownCredential,
} from '@roadstead/contracts/control-plane';
import { Problem, uuidv7 } from '@roadstead/kit';
import { isUniqueViolation, type Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { insertEvent } from '../events/event-store.ts';
import { credentialRowOf, type StoredCredential, webhookRowOf } from '../git-hosts/credential-rules.ts';
import type { RowChange, WorkspaceActor } from '../records/keys.ts';
import {
  deleteIntegration,
  insertIntegration,
  type IntegrationRow,
  listUsers,
  lockIntegration,
  type SealedCredential,
  updateIntegration,
} from './integration-store.ts';
import { makeSshKey, readPem, readSshKey } from '../git-hosts/ssh-keys.ts';

/** An integration, with the webhook secret if it was generated just now. */
export interface MadeIntegration {
  readonly row: IntegrationRow;
  readonly webhook_secret: string | null;
}

interface IntegrationRequest {
  readonly kind: IntegrationKind;
  readonly name: string;
  readonly host: string;
  readonly credential?: IntegrationCredential | null | undefined;
}

/** Throws `invalid` for a malformed credential, and `conflict` when the name is taken. */
export async function createIntegration(
  tx: Transaction,
  context: Context,
  { workspace_id, actor, asked }: WorkspaceActor & { readonly asked: IntegrationRequest },
): Promise<MadeIntegration> {
  const id = uuidv7();
  const webhook_secret = drawWebhookSecret();
  const row = await insertIntegration(tx, {
    id,
    workspace_id,
    kind: asked.kind,
    name: asked.name,
    host: asked.host.toLowerCase().replace(/:443$/, ''),
    webhook_secret_sealed: context.secret_box.seal(webhook_secret, webhookRowOf(id)),
    ...sealCredential(context, { id, kind: asked.kind, credential: asked.credential ?? null }),
  }).catch(refuseTaken(asked.name));
  await noteChange(tx, { row, actor, verb: 'created' });
  return { row, webhook_secret };
}

/** Throws `not_found`, and everything that `createIntegration` throws. */
export async function changeIntegration(
  tx: Transaction,
  context: Context,
  change: RowChange & {
    readonly patch: {
      readonly name?: string | null | undefined;
      readonly credential?: IntegrationCredential | null | undefined;
      readonly rotate_webhook_secret?: boolean | null | undefined;
    };
  },
): Promise<MadeIntegration> {
  const { id, patch } = change;
  const before = await lockIntegration(tx, change);
  const webhook_secret = patch.rotate_webhook_secret === true ? drawWebhookSecret() : null;
  const credential = patch.credential ?? null;
  if (credential !== null) await refuseOtherTransport(tx, before, credential);
  const row = await updateIntegration(tx, {
    ...before,
    ...(credential === null ? {} : sealCredential(context, { id, kind: before.kind, credential })),
    ...(webhook_secret === null
      ? {}
      : { webhook_secret_sealed: context.secret_box.seal(webhook_secret, webhookRowOf(id)) }),
    name: patch.name ?? before.name,
  }).catch(refuseTaken(patch.name ?? before.name));
  const fields = Object.entries(patch).flatMap(([field, value]) => (value == null ? [] : [field]));
  await noteChange(tx, { row, actor: change.actor, verb: 'changed', fields });
  return { row, webhook_secret };
}

/** Throws `not_found`, and `conflict` while deployments use it. */
export async function removeIntegration(tx: Transaction, at: RowChange): Promise<void> {
  const row = await lockIntegration(tx, at);
  const { id } = row;
  const names = await listUsers(tx, id);
  if (names.length > 0)
    throw new Problem('conflict', `Deployments use this integration: ${names.join(', ')}.`, {
      hint: 'Delete them first.',
    });
  await deleteIntegration(tx, id);
  await noteChange(tx, { row, actor: at.actor, verb: 'deleted' });
}

async function noteChange(
  tx: Transaction,
  of: {
    readonly row: IntegrationRow;
    readonly actor: string;
    readonly verb: string;
    readonly fields?: readonly string[];
  },
): Promise<void> {
  const { row, actor, verb, fields } = of;
  const { id: integration_id, workspace_id, host } = row;
  const detail = { integration_id, host, ...(fields && { fields }) };
  await insertEvent(tx, { workspace_id, kind: `integration.${verb}`, actor, detail });
}

/** The deployments that use it have addresses of one transport. */
async function refuseOtherTransport(
  tx: Transaction,
  { id, credential_kind }: IntegrationRow,
  { kind }: IntegrationCredential,
): Promise<void> {
  const isSame = credential_kind === null || (credential_kind === 'ssh_key') === (kind === 'ssh_key');
  if (isSame || (await listUsers(tx, id)).length === 0) return;
  throw new Problem(
    'invalid',
    'credential must be of the same kind while deployments use this integration: their addresses are either https or ssh.',
  );
}

/** In the form of Standard Webhooks; hosts that keep it as plain text use the same text. */
const drawWebhookSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

function refuseTaken(name: string) {
  return (error: unknown): never => {
    if (isUniqueViolation(error, 'integrations_workspace_id_name_key'))
      throw new Problem('conflict', `The workspace has an integration named ${name} already.`, {
        cause: error,
      });
    throw error;
  };
}

function sealCredential(
  context: Context,
  of: {
    readonly id: string;
    readonly kind: IntegrationKind;
    readonly credential: IntegrationCredential | null;
  },
): SealedCredential {
  const { id, kind, credential } = of;
  if (credential === null) return { credential_kind: null, credential_shown: null, credential_sealed: null };
  const { stored, shown } = readCredential(context, kind, credential);
  return {
    credential_kind: stored.kind,
    credential_shown: { kind: stored.kind, ...shown },
    credential_sealed: context.secret_box.seal(JSON.stringify(stored), credentialRowOf(id)),
  };
}

/** The user names that hosts expect beside a token. */
const usernames: Readonly<Record<IntegrationKind, string>> = {
  github: 'x-access-token',
  gitlab: 'oauth2',
  gitea: 'git',
  generic: 'git',
};

interface ReadCredential {
  readonly stored: StoredCredential;
  readonly shown: Omit<ShownCredential, 'kind'>;
}

const nothing = { username: null, public_key: null, app_id: null, installation_id: null };

function readCredential(
  { mac }: Pick<Context, 'mac'>,
  kind: IntegrationKind,
  credential: IntegrationCredential,
): ReadCredential {
  switch (credential.kind) {
    case 'token': {
      const { token } = credential;
      const username = credential.username ?? usernames[kind];
      const fingerprint = mac(`integration:${token}`).toString('hex').slice(0, 16);
      return { stored: { kind: 'token', username, token }, shown: { ...nothing, username, fingerprint } };
    }
    case 'ssh_key': {
      const given = credential.private_key ?? null;
      const { private_key, ...shown } = given === null ? makeSshKey() : readSshKey(given);
      const known_hosts = credential.known_hosts ?? null;
      return { stored: { kind: 'ssh_key', private_key, known_hosts }, shown: { ...nothing, ...shown } };
    }
    case 'github_app':
      return readApp(kind, credential);
  }
}

function readApp(
  kind: IntegrationKind,
  credential: Extract<IntegrationCredential, { kind: 'github_app' }>,
): ReadCredential {
  if (kind !== 'github')
    throw new Problem('invalid', `credential.kind github_app is for kind github, and this is ${kind}.`);
  const key = readPem(credential.private_key);
  if (key.asymmetricKeyType !== 'rsa')
    throw new Problem('invalid', 'credential.private_key of a GitHub App must be an RSA key.');
  // As GitHub shows it beside the app's keys.
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const fingerprint = `SHA256:${createHash('sha256').update(der).digest('base64')}`;
  const { app_id, installation_id } = credential;
  return { stored: credential, shown: { ...nothing, app_id, installation_id, fingerprint } };
}

/** The host's own number for it, else ours. */
export function installationIdOf({ number, credential_shown }: IntegrationRow): number {
  return credential_shown?.installation_id ?? number;
}

/** An integration on the wire. */
export function integrationAnswer(
  { public_url }: Pick<Context, 'public_url'>,
  { row, webhook_secret }: MadeIntegration,
): Integration {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    host: row.host,
    installation_id: installationIdOf(row),
    credential: row.credential_shown,
    webhook_url: `${public_url}/v2/hooks/git/${row.id}`,
    webhook_secret,
    webhook_received_at: row.webhook_received_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
