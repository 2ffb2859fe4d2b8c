import { apiKeys } from './api-keys.ts';
import { applications } from './applications.ts';
import { assertions } from './assertions.ts';
import { company } from './company.ts';
import { consent } from './consent.ts';
import { discovery } from './discovery.ts';
import { grants } from './grants.ts';
import { oauth } from './oauth.ts';
import { sessions } from './sessions.ts';
import { users } from './users.ts';
import { workspaces } from './workspaces.ts';

export { ApiKey, apiKeys } from './api-keys.ts';
export { applications } from './applications.ts';
export { assertions } from './assertions.ts';
export * from './company.ts';
export { consent } from './consent.ts';
export { discovery } from './discovery.ts';
export * from './grants.ts';
export * from './oauth.ts';
export * from './sessions.ts';
export { type User, users } from './users.ts';
export { Workspace, workspaces } from './workspaces.ts';

export const identity = {
  ...workspaces,
  ...apiKeys,
  ...users,
  ...assertions,
  ...grants,
  ...discovery,
  ...oauth,
  ...consent,
  ...applications,
  ...sessions,
  ...company,
};
export type IdentityContract = typeof identity;
