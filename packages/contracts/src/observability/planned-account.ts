import { planned } from '../endpoint.ts';
import { v1 } from './mounts.ts';

/** Account of the LangSmith API that aren't built yet: each answers 501 with a sentence. */
export const plannedAccount = {
  postWorkspaces: planned('POST', '/workspaces', 'Create a workspace', v1),
  getWorkspacesCurrentSecrets: planned(
    'GET',
    '/workspaces/current/secrets',
    'List the names of the workspace’s secrets',
    v1,
  ),
  postWorkspacesCurrentSecrets: planned(
    'POST',
    '/workspaces/current/secrets',
    'Set secrets of the workspace',
    v1,
  ),
  getWorkspacesCurrentShared: planned(
    'GET',
    '/workspaces/current/shared',
    'List what the workspace shares by link',
    v1,
  ),
  deleteWorkspacesCurrentShared: planned(
    'DELETE',
    '/workspaces/current/shared',
    'Stop sharing several things of the workspace',
    v1,
  ),
  getWorkspacesCurrentStats: planned(
    'GET',
    '/workspaces/current/stats',
    'Count what the workspace holds',
    v1,
  ),
  getWorkspacesCurrentUsageLimits: planned(
    'GET',
    '/workspaces/current/usage_limits',
    'Read how much of its limits the workspace has used',
    v1,
  ),
  getOrgsCurrentBilling: planned('GET', '/orgs/current/billing', 'Read the organisation’s billing', v1),
  getOrgsCurrentBillingGranularUsage: planned(
    'GET',
    '/orgs/current/billing/granular-usage',
    'Read the organisation’s usage by workspace, project or user',
    v1,
  ),
  getOrgsCurrentBillingGranularUsageExport: planned(
    'GET',
    '/orgs/current/billing/granular-usage/export',
    'Export the organisation’s usage by workspace, project or user',
    v1,
  ),
  getOrgsCurrentBillingUsage: planned(
    'GET',
    '/orgs/current/billing/usage',
    'Read the organisation’s usage',
    v1,
  ),
  getOrgsCurrent: planned('GET', '/orgs/current', 'Read the organisation', v1),
  getOrgsCurrentInfo: planned('GET', '/orgs/current/info', 'Read the organisation’s name and settings', v1),
  patchOrgsCurrentInfo: planned(
    'PATCH',
    '/orgs/current/info',
    'Change the organisation’s name and settings',
    v1,
  ),
  getOrgsTtlSettings: planned('GET', '/orgs/ttl-settings', 'Read how long the organisation keeps traces', v1),
  putOrgsTtlSettings: planned('PUT', '/orgs/ttl-settings', 'Set how long the organisation keeps traces', v1),
  getTtlSettings: planned('GET', '/ttl-settings', 'Read how long the workspace keeps traces', v1),
  putTtlSettings: planned('PUT', '/ttl-settings', 'Set how long the workspace keeps traces', v1),
  getUsageLimits: planned('GET', '/usage-limits', 'List the usage limits of the workspace', v1),
  putUsageLimits: planned('PUT', '/usage-limits', 'Set a usage limit of the workspace', v1),
  getUsageLimitsOrg: planned('GET', '/usage-limits/org', 'List the usage limits of the organisation', v1),
  deleteUsageLimitsByUsageLimitId: planned(
    'DELETE',
    '/usage-limits/{usage_limit_id}',
    'Remove a usage limit',
    v1,
  ),
  getModelPriceMap: planned('GET', '/model-price-map', 'List the prices of models', v1),
  postModelPriceMap: planned('POST', '/model-price-map', 'Add the price of a model', v1),
  putModelPriceMapById: planned('PUT', '/model-price-map/{id}', 'Change the price of a model', v1),
  deleteModelPriceMapById: planned('DELETE', '/model-price-map/{id}', 'Remove the price of a model', v1),
};
