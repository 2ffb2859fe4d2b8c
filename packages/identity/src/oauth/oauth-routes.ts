import type Provider from 'oidc-provider';
import { CONSOLE_CLIENT, OAUTH_SCOPES, type oauth } from '@roadstead/contracts/identity';
import { type Call, type Handlers, readBytes } from '@roadstead/http';
import { parseJson } from '@roadstead/json';
import { Problem } from '@roadstead/kit';
import { oauthPages } from '../pages/device-pages.ts';
import { orErrorPage, pageAnswer } from '../sign-in/answers.ts';
import type { Interactions } from '../pages/oauth-ports.ts';
import type { Visitors } from '../sign-in/visitor.ts';
import type { RequestKind } from './asking-rules.ts';
import { openConsole } from './console-entrance.ts';
import { cookieOf } from '../sign-in/cookies.ts';
import { callProvider, type SendToLibrary } from './call-provider.ts';
import { SESSION_COOKIE } from './provider.ts';
import type { Refresh } from './rotation-work.ts';
import { publicClient } from './registration-rules.ts';
import { authorizationParameters, tokenParameters } from './request-rules.ts';

export interface OAuthRoutesOptions {
  readonly provider: () => Promise<Provider>;
  readonly public_url: string;
  readonly visitors: Visitors;
  readonly interactions: Interactions;
  /** @throws Problem `limit` where it was asked too often */
  readonly count: (asking: RequestKind, address: string) => Promise<void>;
  /** Whether a device may ask again already. */
  readonly countPoll: (device_code: string) => Promise<boolean>;
  /** Answers a refresh, or repeats the answer that another use of the same token got a moment ago. */
  readonly rotate: (use: Refresh) => Promise<Response>;
  readonly revokeToken: (token: string, client_id: string) => Promise<void>;
}

export function oauthHandlers(options: OAuthRoutesOptions): Handlers<typeof oauth> {
  const { provider, public_url } = options;
  const send = sending(provider);
  const sendForm = (call: Pick<Call, 'request'>, form: URLSearchParams) =>
    send(call, { body: form.toString(), content_type: FORM });
  /** In a browser other than the one where the flow began, the code is asked for again. */
  const inSession = async ({ request }: Pick<Call, 'request'>, answer: () => Promise<Response>) => {
    const { Session } = await provider();
    const id = cookieOf(request.headers, SESSION_COOKIE);
    if (id !== undefined && (await Session.find(id)) !== undefined) return answer();
    return new Response(null, { status: 303, headers: { location: '/oauth/device' } });
  };
  const metadata = async ({ request }: Pick<Call, 'request'>) =>
    describe(
      await send({ request }, { path: '/.well-known/oauth-authorization-server', search: '' }),
      public_url,
    );
  return {
    ...metadataAt(metadata),
    registerClient: async ({ request, address }) => {
      await options.count('registration', address);
      const bytes = await readBytes(request, { max_bytes: 8192 });
      const client = publicClient(await parseJson(bytes, { max_bytes: 8192, max_values: 1000 }));
      const answer = await send(
        { request },
        { body: JSON.stringify(client), content_type: 'application/json' },
      );
      return answer.status === 201 ? registered(answer) : answer;
    },
    authorize: async ({ request, address }) =>
      orErrorPage(async () => {
        const asked = new URL(request.url).searchParams;
        const given = askedNow(asked, public_url);
        if (given.get('client_id') === CONSOLE_CLIENT)
          return openConsole(request, { ...options, given, address, send });
        await options.count('authorization', address);
        return unlessSentAway(await send({ request }, { search: `?${given.toString()}` }));
      }),
    resumeAuthorization: (call) => send(call),
    issueToken: async ({ request }) => {
      const given = tokenParameters(await formOf(request), {
        public_url,
        authorization: request.headers.get('authorization'),
      });
      const device_code = given.get('device_code');
      if (device_code !== null && !(await options.countPoll(device_code)))
        throw new Problem('invalid', 'The device asks too often.', { code: 'slow_down' });
      const answer = () => sendForm({ request }, given);
      const refresh_token = given.get('refresh_token');
      if (given.get('grant_type') !== 'refresh_token' || refresh_token === null) return answer();
      return options.rotate({ refresh_token, refresh: answer });
    },
    revokeToken: async ({ request }) => {
      const form = await formOf(request);
      await options.revokeToken(form.get('token') ?? '', form.get('client_id') ?? '');
      return new Response(null, { headers: { 'cache-control': 'no-store' } });
    },
    startDeviceAuthorization: async ({ request, address }) => {
      await options.count('authorization', address);
      return sendForm({ request }, askedNow(await formOf(request), public_url));
    },
    readDevicePage: (call) => send(call),
    submitDevicePage: async (call) =>
      orErrorPage(async () => {
        await options.count('device code', call.address);
        const form = await formOf(call.request);
        return inSession(call, () => sendForm(call, form));
      }),
    resumeDevice: async (call) => inSession(call, () => send(call)),
  };
}

const askedNow = (given: URLSearchParams, public_url: string) =>
  authorizationParameters(given, { public_url, now_ms: Date.now() });

type Describe = Handlers<typeof oauth>['readAuthorizationServer'];

/** Clients look for this document under any path that they take for the server's. */
const metadataAt = (describes: Describe) => ({
  readAuthorizationServer: describes,
  readMcpAuthorizationServer: describes,
  readApiAuthorizationServer: describes,
  readApiMcpAuthorizationServer: describes,
  readOpenIdConfiguration: describes,
  readMcpOpenIdConfiguration: describes,
  readApiOpenIdConfiguration: describes,
  readApiMcpOpenIdConfiguration: describes,
});

/** Passes a request on to the library. */
const sending =
  (provider: () => Promise<Provider>): SendToLibrary =>
  async (
    { request },
    {
      path = new URL(request.url).pathname.replace(/\/$/, ''),
      search = new URL(request.url).search,
      ...more
    } = {},
  ) => {
    const target = path + search;
    const headers = withoutSession(request, target);
    return callProvider(await provider(), { method: request.method, target, headers, ...more });
  };

const FORM = 'application/x-www-form-urlencoded';

/** @throws Problem where it is no form */
async function formOf(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== FORM) throw new Problem('invalid', `The body must be ${FORM}.`, { code: 'invalid_request' });
  return new URLSearchParams((await readBytes(request, { max_bytes: 16_384 })).toString());
}

/** Anyone may register an address on the web, so the browser goes there only after somebody consented or denied. */
function unlessSentAway(answer: Response): Response {
  const to = answer.headers.get('location');
  if (to === null || !to.startsWith('https:')) return answer;
  const url = new URL(to);
  const said = new URLSearchParams(url.search || url.hash.slice(1));
  const [error, description] = [said.get('error'), said.get('error_description')];
  return pageAnswer(
    oauthPages.failure({
      error: error ?? 'invalid_request',
      description: description ?? 'the request of the application is not valid',
    }),
    { status: 400 },
  );
}

/** A session lasts from the page of the device code to the decision, and signs nobody in. */
function withoutSession({ headers, method }: Request, target: string): Headers {
  if (target.startsWith('/oauth/device/') || (method === 'POST' && target === '/oauth/device'))
    return headers;
  const left = new Headers(headers);
  const cookies = (headers.get('cookie') ?? '')
    .split(';')
    .filter((one) => !one.trim().startsWith(`${SESSION_COOKIE}=`));
  left.set('cookie', cookies.join(';'));
  return left;
}

/** The library's own metadata, without the members that belong to OpenID Connect alone. */
async function describe(answer: Response, public_url: string): Promise<Response> {
  const said = Object.entries((await answer.json()) as Record<string, unknown>);
  return Response.json(
    {
      ...Object.fromEntries(said.filter(([name]) => !name.startsWith('claim'))),
      scopes_supported: [...OAUTH_SCOPES, 'offline_access'],
      protected_resources: [`${public_url}/mcp`, `${public_url}/api/mcp`],
      response_modes_supported: ['query', 'fragment'],
      resource_parameter_supported: true,
    },
    { headers: { 'cache-control': 'public, max-age=300' } },
  );
}

const SHOWN = [
  'client_id',
  'client_id_issued_at',
  'client_name',
  'client_uri',
  'logo_uri',
  'redirect_uris',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  'application_type',
] as const;

async function registered(answer: Response): Promise<Response> {
  const client = (await answer.json()) as Record<string, unknown>;
  const shown = Object.fromEntries(SHOWN.flatMap((name) => (name in client ? [[name, client[name]]] : [])));
  return Response.json(shown, { status: 201, headers: { 'cache-control': 'no-store' } });
}
