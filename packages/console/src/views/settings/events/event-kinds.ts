/** The kinds of events that one filters by: each is the beginning of others. */
export const eventKinds = [
  'deployment',
  'deployment.created',
  'deployment.status',
  'deployment.trouble',
  'revision',
  'revision.created',
  'revision.status',
  'listener',
  'integration',
  'webhook',
  'oauth_provider',
] as const;
