import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';

const SecretName = WellFormedText.regex(
  /^[A-Za-z_]\w{0,199}$/,
  'must be the name of an environment variable',
);
const SecretValue = WellFormedText.max(65_536);

export const workspaceSecrets = {
  listWorkspaceSecrets: endpoint({
    ...v1,
    method: 'GET',
    path: '/workspaces/current/secrets',
    summary: 'List the names of the workspace’s secrets',
    access: 'workspaces:read',
    success: { status: 200, body: z.array(z.object({ key: z.string() })) },
  }),
  setWorkspaceSecrets: endpoint({
    ...v1,
    method: 'POST',
    path: '/workspaces/current/secrets',
    summary: 'Set secrets of the workspace, which no answer shows again; null removes one',
    access: 'workspaces:admin',
    body: z.array(z.object({ key: SecretName, value: SecretValue.nullable() })).max(100),
    success: { status: 200, body: z.object({ message: z.string() }) },
    example: { body: [{ key: 'OPENAI_API_KEY', value: 'sk-example' }] },
  }),
  putWorkspaceSecret: endpoint({
    ...v1,
    method: 'PUT',
    path: '/workspaces/current/secrets/{key}',
    summary: 'Set a secret of the workspace, which no answer shows again; without a value it stays as it is',
    access: 'workspaces:admin',
    errors: [404, 501],
    params: z.object({ key: SecretName }),
    body: z.object({
      value: SecretValue.nullish(),
      /** The hosts that may receive it: none can be named, since it is sent to none. */
      configs: z.array(z.unknown()).nullish(),
    }),
    success: { status: 200, body: z.object({ key: z.string() }) },
    example: { body: { value: 'sk-example' } },
  }),
  deleteWorkspaceSecret: endpoint({
    ...v1,
    method: 'DELETE',
    path: '/workspaces/current/secrets/{key}',
    summary: 'Remove a secret of the workspace; one that is not there is no error',
    access: 'workspaces:admin',
    params: z.object({ key: SecretName }),
    success: { status: 204 },
  }),
};
