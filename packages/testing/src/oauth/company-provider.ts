import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { COMPANY_CALLBACK } from '@roadstead/contracts/identity';
import { Person } from './person.ts';

/** A real OpenID provider of a company, where whoever is set is signed in at once. */

export const COMPANY_CLIENT = { client_id: 'roadstead', client_secret: 'canary-of-the-client-secret' };

export interface CompanyProvider extends AsyncDisposable {
  readonly url: string;
  /** Who is at the browser, and their groups. */
  account: { readonly sub: string; readonly groups: readonly string[]; readonly name?: string };
  /** Whether somebody declines there. */
  denies: boolean;
  /** Begins to serve the client at this address. */
  serve(public_url: string, more?: { readonly groups_in_id_token?: boolean; readonly code_s?: number }): void;
  stop(): Promise<void>;
}

export async function startCompanyProvider(): Promise<CompanyProvider> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  const state: CompanyProvider = {
    url,
    account: { sub: 'anna-at-work', groups: ['engineering'], name: 'Anna' },
    denies: false,
    serve: (public_url, { groups_in_id_token = false, code_s = 60 } = {}) => {
      const provider = createProvider(url, { public_url, groups_in_id_token, code_s, state });
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        const answered =
          request.url?.startsWith('/interaction/') === true
            ? decide(provider, { request, response, state })
            : provider.callback()(request, response);
        void answered.catch(() => response.writeHead(500).end());
      });
    },
    stop,
    [Symbol.asyncDispose]: () => (server.listening ? stop() : Promise.resolve()),
  };
  return state;
}

interface ProviderSettings {
  readonly public_url: string;
  readonly groups_in_id_token: boolean;
  readonly code_s: number;
  readonly state: Pick<CompanyProvider, 'account'>;
}

const createProvider = (url: string, { public_url, groups_in_id_token, code_s, state }: ProviderSettings) =>
  new Provider(url, {
    clients: [
      { ...COMPANY_CLIENT, redirect_uris: [public_url + COMPANY_CALLBACK], response_types: ['code'] },
    ],
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email'] },
    conformIdTokenClaims: !groups_in_id_token,
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    findAccount: async (_ctx, id) => ({
      accountId: id,
      claims: async () => ({
        sub: id,
        ...(state.account.name === undefined ? {} : { preferred_username: state.account.name }),
        groups: [...state.account.groups],
      }),
    }),
    ttl: {
      AuthorizationCode: code_s,
      AccessToken: 600,
      IdToken: 600,
      Session: 600,
      Interaction: 600,
      Grant: 600,
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['a key of the tests'] },
  });

interface Decision {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly state: Pick<CompanyProvider, 'account' | 'denies'>;
}

async function decide(provider: Provider, { request, response, state }: Decision): Promise<void> {
  if (state.denies) return provider.interactionFinished(request, response, { error: 'access_denied' });
  const { sub: accountId } = state.account;
  const grant = new provider.Grant({ accountId, clientId: COMPANY_CLIENT.client_id });
  grant.addOIDCScope('openid profile email');
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { login: { accountId }, consent });
}

/** Goes to the provider and is led back; the address of the callback, which nobody has opened yet. */
export async function visitProvider(
  url: string,
  { person, return_to = '/oauth/applications' }: { person: Person; return_to?: string },
) {
  const query = new URLSearchParams({ return_to }).toString();
  const { left_for = '' } = await person.open(`${url}/oauth/company?${query}`);
  // Where somebody is signed in already does not matter here.
  return (await new Person().open(left_for)).left_for ?? '';
}
