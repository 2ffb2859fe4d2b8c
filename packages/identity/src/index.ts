export { type Edge } from './credentials/edge.ts';
export {
  IDENTITY_SCHEMA,
  type IdentityOptions,
  type IdentityService,
  migrateIdentity,
  startIdentity,
} from './identity.ts';
export { clientDocumentsSetting, identityProgram, workspacesSetting } from './identity-program.ts';
