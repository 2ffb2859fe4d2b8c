import { CONSOLE_CALLBACK, CONSOLE_CLIENT } from '@roadstead/contracts/identity';

/** The console as a client of ours: known from the beginning, and asked about by nobody. Pure. */

/** A client of the web, whose one address must match exactly. */
export const consoleClient = (public_url: string) => ({
  client_id: CONSOLE_CLIENT,
  client_name: 'Console',
  redirect_uris: [public_url + CONSOLE_CALLBACK],
  application_type: 'web' as const,
  grant_types: ['authorization_code'],
  response_types: ['code' as const],
  token_endpoint_auth_method: 'none' as const,
});

/** Whether somebody is to sign in, whoever is signed in already. */
export const wantsSignIn = (prompt: string | undefined): boolean =>
  prompt?.split(' ').some((one) => one === 'login' || one === 'select_account') === true;
