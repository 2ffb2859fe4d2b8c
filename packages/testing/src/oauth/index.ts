export {
  COMPANY_CLIENT,
  type CompanyProvider,
  startCompanyProvider,
  visitProvider,
} from './company-provider.ts';
export { askForTokens, authorization, consent, register, type Tokens } from './oauth-client.ts';
export { type OAuthServer, type OAuthServerOptions, startOAuthServer, visit } from './oauth-server.ts';
export { type Credential, type Page, Person } from './person.ts';
