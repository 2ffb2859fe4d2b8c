import { planned } from '../endpoint.ts';
import { v1 } from './mounts.ts';

/** Workspace settings, usage and prices of the LangSmith API that aren’t built yet: each answers 501 with a sentence. */
const adminWorkspace = { ...v1, access: 'workspaces:admin' } as const;
const readTraces = { ...v1, access: 'traces:read' } as const;
const adminTraces = { ...v1, access: 'traces:admin' } as const;
const readWorkspace = { ...v1, access: 'workspaces:read' } as const;
const readUsage = { ...v1, access: 'usage:read' } as const;

export const plannedAccount = {
  createWorkspace: planned('POST /workspaces', { ...adminWorkspace, summary: 'Create a workspace' }),
  listWorkspaceSecrets: planned('GET /workspaces/current/secrets', {
    ...adminWorkspace,
    summary: 'List the names of the workspace’s secrets',
  }),
  setWorkspaceSecrets: planned('POST /workspaces/current/secrets', {
    ...adminWorkspace,
    summary: 'Set secrets of the workspace',
  }),
  listSharedLinks: planned('GET /workspaces/current/shared', {
    ...readTraces,
    summary: 'List what the workspace shares by link',
  }),
  deleteSharedLinks: planned('DELETE /workspaces/current/shared', {
    ...adminTraces,
    summary: 'Stop sharing several things of the workspace',
  }),
  readWorkspaceStats: planned('GET /workspaces/current/stats', {
    ...readWorkspace,
    summary: 'Count what the workspace holds',
  }),
  readWorkspaceUsage: planned('GET /workspaces/current/usage_limits', {
    ...readUsage,
    summary: 'Read how much of its limits the workspace has used',
  }),
  readBilling: planned('GET /orgs/current/billing', {
    ...readUsage,
    summary: 'Read the organisation’s billing',
  }),
  readGranularUsage: planned('GET /orgs/current/billing/granular-usage', {
    ...readUsage,
    summary: 'Read the organisation’s usage by workspace, project or user',
  }),
  exportGranularUsage: planned('GET /orgs/current/billing/granular-usage/export', {
    ...readUsage,
    summary: 'Export the organisation’s usage by workspace, project or user',
  }),
  readUsage: planned('GET /orgs/current/billing/usage', {
    ...readUsage,
    summary: 'Read the organisation’s usage',
  }),
  readOrganization: planned('GET /orgs/current', { ...readWorkspace, summary: 'Read the organisation' }),
  readOrganizationInfo: planned('GET /orgs/current/info', {
    ...readWorkspace,
    summary: 'Read the organisation’s name and settings',
  }),
  patchOrganizationInfo: planned('PATCH /orgs/current/info', {
    ...adminWorkspace,
    summary: 'Change the organisation’s name and settings',
  }),
  readOrganizationRetention: planned('GET /orgs/ttl-settings', {
    ...readWorkspace,
    summary: 'Read how long the organisation keeps traces',
  }),
  setOrganizationRetention: planned('PUT /orgs/ttl-settings', {
    ...adminWorkspace,
    summary: 'Set how long the organisation keeps traces',
  }),
  readWorkspaceRetention: planned('GET /ttl-settings', {
    ...readWorkspace,
    summary: 'Read how long the workspace keeps traces',
  }),
  setWorkspaceRetention: planned('PUT /ttl-settings', {
    ...adminWorkspace,
    summary: 'Set how long the workspace keeps traces',
  }),
  listUsageLimits: planned('GET /usage-limits', {
    ...readUsage,
    summary: 'List the usage limits of the workspace',
  }),
  setUsageLimit: planned('PUT /usage-limits', {
    ...adminWorkspace,
    summary: 'Set a usage limit of the workspace',
  }),
  listOrganizationUsageLimits: planned('GET /usage-limits/org', {
    ...readUsage,
    summary: 'List the usage limits of the organisation',
  }),
  deleteUsageLimit: planned('DELETE /usage-limits/{usage_limit_id}', {
    ...adminWorkspace,
    summary: 'Remove a usage limit',
  }),
};
