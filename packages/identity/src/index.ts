export { type Edge } from './credentials/edge.ts';
export {
  IDENTITY_SCHEMA,
  type IdentityOptions,
  type IdentityService,
  migrateIdentity,
  startIdentity,
} from './identity.ts';
export { identityMigrations } from './identity-migrations.ts';
export { companyOf, companySettings } from './sign-in/company-settings.ts';
export { clientDocumentsSetting, identityProgram, workspacesSetting } from './identity-program.ts';
