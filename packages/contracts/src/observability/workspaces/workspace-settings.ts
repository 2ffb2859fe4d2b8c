import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';

const WorkspaceSettings = z
  .object({
    id: z.string(),
    display_name: z.string(),
    created_at: z.string(),
    tenant_handle: z.string().nullable(),
  })
  .meta({ id: 'WorkspaceSettings' });

/** A handle that looks like neither an id nor a workspace's default handle, since addresses may hold each of them. */
export const WorkspaceHandle = WellFormedText.max(100).regex(
  /^(?!workspace-|[0-9a-f]{8}-)[a-z][a-z0-9_-]*$/,
  'must begin with a lowercase letter, have lowercase letters, digits, hyphens and underscores only, and begin neither with "workspace-" nor like an id',
);

export const workspaceSettings = {
  readWorkspaceSettings: endpoint({
    ...v1,
    method: 'GET',
    path: '/settings',
    summary: 'Read the workspace’s name and the handle under which its public prompts are found',
    access: ['workspaces:read', 'prompts:read'],
    success: { status: 200, body: WorkspaceSettings },
  }),
  setWorkspaceHandle: endpoint({
    ...v1,
    method: 'POST',
    path: '/settings/handle',
    summary: 'Choose the handle under which the workspace’s public prompts are found',
    access: 'workspaces:admin',
    errors: [409],
    body: z.object({
      tenant_handle: WorkspaceHandle,
    }),
    success: { status: 200, body: WorkspaceSettings },
    example: { body: { tenant_handle: 'acme' } },
  }),
};
