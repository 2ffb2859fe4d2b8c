import { planned } from '../endpoint.ts';
import { v1 } from './mounts.ts';

/** Account of the LangSmith API that aren't built yet: each answers 501 with a sentence. */
export const plannedAccount = {
  postWorkspaces: planned('POST', '/workspaces', 'Create or run workspaces', v1),
  getWorkspacesCurrentSecrets: planned(
    'GET',
    '/workspaces/current/secrets',
    'Read workspaces current secrets',
    v1,
  ),
  postWorkspacesCurrentSecrets: planned(
    'POST',
    '/workspaces/current/secrets',
    'Create or run workspaces current secrets',
    v1,
  ),
  getWorkspacesCurrentShared: planned(
    'GET',
    '/workspaces/current/shared',
    'Read workspaces current shared',
    v1,
  ),
  deleteWorkspacesCurrentShared: planned(
    'DELETE',
    '/workspaces/current/shared',
    'Remove workspaces current shared',
    v1,
  ),
  getWorkspacesCurrentStats: planned('GET', '/workspaces/current/stats', 'Read workspaces current stats', v1),
  getWorkspacesCurrentUsageLimits: planned(
    'GET',
    '/workspaces/current/usage_limits',
    'Read workspaces current usage limits',
    v1,
  ),
  getOrgsCurrentBilling: planned('GET', '/orgs/current/billing', 'Read orgs current billing', v1),
  getOrgsCurrentBillingGranularUsage: planned(
    'GET',
    '/orgs/current/billing/granular-usage',
    'Read orgs current billing granular usage',
    v1,
  ),
  getOrgsCurrentBillingGranularUsageExport: planned(
    'GET',
    '/orgs/current/billing/granular-usage/export',
    'Read orgs current billing granular usage export',
    v1,
  ),
  getOrgsCurrentBillingUsage: planned(
    'GET',
    '/orgs/current/billing/usage',
    'Read orgs current billing usage',
    v1,
  ),
  getOrgsCurrent: planned('GET', '/orgs/current', 'Read orgs current', v1),
  getOrgsCurrentInfo: planned('GET', '/orgs/current/info', 'Read orgs current info', v1),
  patchOrgsCurrentInfo: planned('PATCH', '/orgs/current/info', 'Change orgs current info', v1),
  getOrgsTtlSettings: planned('GET', '/orgs/ttl-settings', 'Read orgs ttl settings', v1),
  putOrgsTtlSettings: planned('PUT', '/orgs/ttl-settings', 'Set orgs ttl settings', v1),
  getTtlSettings: planned('GET', '/ttl-settings', 'Read ttl settings', v1),
  putTtlSettings: planned('PUT', '/ttl-settings', 'Set ttl settings', v1),
  getUsageLimits: planned('GET', '/usage-limits', 'Read usage limits', v1),
  putUsageLimits: planned('PUT', '/usage-limits', 'Set usage limits', v1),
  getUsageLimitsOrg: planned('GET', '/usage-limits/org', 'Read usage limits org', v1),
  deleteUsageLimitsByUsageLimitId: planned(
    'DELETE',
    '/usage-limits/{usage_limit_id}',
    'Remove usage limits',
    v1,
  ),
  getModelPriceMap: planned('GET', '/model-price-map', 'Read model price map', v1),
  postModelPriceMap: planned('POST', '/model-price-map', 'Create or run model price map', v1),
  putModelPriceMapById: planned('PUT', '/model-price-map/{id}', 'Set model price map', v1),
  deleteModelPriceMapById: planned('DELETE', '/model-price-map/{id}', 'Remove model price map', v1),
};
