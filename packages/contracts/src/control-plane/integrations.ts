import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryInt, Timestamp, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { mounts } from './deployments.ts';

/** The integrations by which private git repositories are fetched and pushes are reported. */

export const IntegrationKind = z.enum(['github', 'gitlab', 'gitea', 'generic']);
export type IntegrationKind = z.output<typeof IntegrationKind>;

const token = WellFormedText.regex(/^[\x21-\x7e]+$/, 'must be letters, digits and signs without spaces').max(
  4000,
);
const username = WellFormedText.regex(/^[\x21-\x39\x3b-\x7e]+$/, 'must have no spaces and no colons').max(
  255,
);
const private_key = WellFormedText.min(1).max(20_000);

/** A credential as requests hold it; its contents are never answered. */
export const IntegrationCredential = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('token'),
      /** The user name; by default the one that the host requires beside a token. */
      username: username.nullish(),
      token,
    }),
    z.object({
      kind: z.literal('ssh_key'),
      /** A private key without a passphrase. Absent: a pair is made, and its public key shown. */
      private_key: private_key.nullish(),
      /** Lines in the format of OpenSSH. */
      known_hosts: WellFormedText.max(20_000).nullish(),
    }),
    z.object({
      kind: z.literal('github_app'),
      app_id: WellFormedText.regex(/^[\w.-]+$/, 'must be the number or the client id of the app').max(100),
      installation_id: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
      /** The private key in PEM. */
      private_key,
    }),
  ])
  .meta({ id: 'IntegrationCredential' });
export type IntegrationCredential = z.output<typeof IntegrationCredential>;

/** The public part of a credential. */
export const ShownCredential = z
  .object({
    kind: z.enum(['token', 'ssh_key', 'github_app']),
    username: WellFormedText.nullable(),
    /** Distinguishes credentials without showing them. */
    fingerprint: WellFormedText,
    /** The public key in one line, to be registered as a deploy key. */
    public_key: WellFormedText.nullable(),
    app_id: WellFormedText.nullable(),
    installation_id: z.number().nullable(),
  })
  .meta({ id: 'ShownCredential' });
export type ShownCredential = z.output<typeof ShownCredential>;

export const Integration = z
  .object({
    id: Uuid,
    kind: IntegrationKind,
    name: WellFormedText,
    host: WellFormedText,
    installation_id: z.number(),
    credential: ShownCredential.nullable(),
    /** The address to which the host sends its webhooks. */
    webhook_url: WellFormedText,
    /** The webhook's secret, only in the answer to its creation. */
    webhook_secret: WellFormedText.nullable(),
    webhook_received_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Integration' });
export type Integration = z.output<typeof Integration>;

const name = WellFormedText.min(1).max(100);
/** `git.example.com`, with a port where that is another than 443. */
const host = WellFormedText.regex(
  /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?$/,
  'must be a host name, with a port where that is another than 443',
).max(255);

const params = z.object({ integration_id: Uuid });
const read = { mounts, access: 'deployments:read' } as const;
const admin = { mounts, access: 'deployments:admin' } as const;

export const integrations = {
  listIntegrations: endpoint({
    method: 'GET',
    path: '/v2/integrations',
    summary: 'List the git integrations of the workspace, newest first',
    ...read,
    query: z.object({
      page_size: queryInt({ min: 1, max: 100, fallback: 20 }),
      cursor: WellFormedText.optional(),
    }),
    success: {
      status: 200,
      body: z.object({ items: z.array(Integration), next_cursor: WellFormedText.nullable() }),
    },
    example: { query: { page_size: '50' } },
  }),
  createIntegration: endpoint({
    method: 'POST',
    path: '/v2/integrations',
    summary: 'Create a git integration; its webhook secret is shown this once',
    ...admin,
    errors: [409],
    body: z.object({
      kind: IntegrationKind,
      name,
      host,
      /** The credential; without one the integration only receives webhooks. */
      credential: IntegrationCredential.nullish(),
    }),
    success: { status: 201, body: Integration },
    example: {
      body: {
        kind: 'github',
        name: 'acme',
        host: 'github.com',
        credential: { kind: 'token', token: 'github_pat_example' },
      },
    },
  }),
  readIntegration: endpoint({
    method: 'GET',
    path: '/v2/integrations/{integration_id}',
    summary: 'Read a git integration',
    ...read,
    params,
    success: { status: 200, body: Integration },
  }),
  patchIntegration: endpoint({
    method: 'PATCH',
    path: '/v2/integrations/{integration_id}',
    summary: 'Rename a git integration, replace its credential, or draw a new webhook secret',
    ...admin,
    errors: [409],
    params,
    body: z.object({
      name: name.nullish(),
      credential: IntegrationCredential.nullish(),
      rotate_webhook_secret: z.boolean().nullish(),
    }),
    success: { status: 200, body: Integration },
    example: { body: { rotate_webhook_secret: true } },
  }),
  deleteIntegration: endpoint({
    method: 'DELETE',
    path: '/v2/integrations/{integration_id}',
    summary: 'Remove a git integration that no deployment uses',
    ...admin,
    errors: [409],
    params,
    success: { status: 204 },
  }),
};
