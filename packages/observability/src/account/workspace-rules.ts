import type { ApiKey } from '@roadstead/contracts/identity';

/** A workspace and its keys, as LangSmith shows tenants and members. */

export interface WorkspaceFacts {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
}

export const tenantAnswer = ({ id, name, created_at }: WorkspaceFacts, handle: string) => ({
  id,
  organization_id: id,
  created_at,
  display_name: name,
  is_personal: false,
  is_deleted: false,
  tenant_handle: handle,
  data_plane_url: null,
});

export const memberAnswer = (key: ApiKey, workspace_id: string) => ({
  id: key.id,
  organization_id: workspace_id,
  tenant_id: workspace_id,
  created_at: key.created_at,
  user_id: key.id,
  ls_user_id: key.id,
  read_only: key.scopes.every((scope) => scope === 'reader' || scope.endsWith(':read')),
  role_id: null,
  role_name: key.scopes.join(', '),
  access_scope: 'workspace' as const,
  email: null,
  full_name: key.name,
  avatar_url: null,
  linked_login_methods: [],
  display_name: key.name,
  is_disabled: false,
  org_role_id: null,
  org_role_name: null,
});
