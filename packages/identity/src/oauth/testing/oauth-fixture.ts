import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@roadstead/contracts';
import { identity as contract } from '@roadstead/contracts/identity';
import { createSigningKey, inwardOf, toNodeListener } from '@roadstead/http';
import { type Clock, createSecretBox, silentLog, systemClock } from '@roadstead/kit';
import { openDatabase } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { IDENTITY_SCHEMA, startIdentity } from '../../identity.ts';
import type { CompanyOptions } from '../../sign-in/company-client.ts';
import type { Consent } from '../../pages/oauth-ports.ts';

export const WORKSPACE = '22222222-2222-4222-8222-222222222222';
export const KEY = 'rs_of_whoever_consents';

const signing_key_pem = createSigningKey();

/** Identity at an address of its own, with one workspace and the key of an administrator. */
export async function startIdentityServer({
  clock = systemClock,
  ...given
}: {
  readonly clock?: Clock;
  readonly outbound?: ((request: Request) => Promise<Response>) | undefined;
  readonly company?: CompanyOptions;
} = {}) {
  const { outbound, company } = { outbound: async () => new Response(null, { status: 404 }), ...given };
  const stack = new AsyncDisposableStack();
  const { url: database_url, db: admin } = stack.use(await freshDatabase('oauth'));
  const listeners: ((...args: Parameters<ReturnType<typeof toNodeListener>>) => void)[] = [];
  const server = createServer((request, response) => listeners.at(-1)?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack.defer(() => server.closeAllConnections());
  stack.defer(async () => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** A process of identity; several share the database. */
  const start = async () => {
    const db = stack.use(
      openDatabase({ url: database_url, max: 6, name: 'identity test', schema: IDENTITY_SCHEMA }),
    );
    return stack.use(
      await startIdentity({
        db,
        log: silentLog,
        signing_key_pem,
        secret_box: createSecretBox(['a secret of the tests']),
        public_url: url,
        outbound,
        company,
        default_workspace: { id: WORKSPACE, name: 'default' },
        service_keys: { observability: 'rs_observability', 'control-plane': 'rs_control-plane' },
        clock,
        check_answers: true,
      }),
    );
  };
  const service = await start();
  listeners.push(
    toNodeListener((request, address) => service.served.fetch(request, { address, ...inwardOf(request) })),
  );
  const key = await service.ensureKey({
    workspace_id: WORKSPACE,
    name: 'first',
    scopes: ['admin'],
    key: KEY,
  });
  /** Calls identity like another service of ours. */
  const asService = (name: 'observability' | 'control-plane') =>
    createClient(contract, {
      base_url: url,
      headers: { 'x-api-key': `rs_${name}`, 'x-tenant-id': WORKSPACE },
    });
  return {
    url,
    database_url,
    admin,
    asService,
    service,
    start,
    subject: `key:${key.id}` as const,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export type IdentityServer = Awaited<ReturnType<typeof startIdentityServer>>;

/** As much of a browser as a sign-in takes: it keeps cookies and follows redirects below one origin. */
export function createBrowser(origin: string) {
  const jar = new Map<string, { value: string; path: string }>();
  const cookieFor = (path: string) =>
    [...jar]
      .flatMap(([name, cookie]) => (path.startsWith(cookie.path) ? [`${name}=${cookie.value}`] : []))
      .join('; ');
  const keep = (line: string) => {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name = '', ...value] = pair.split('=');
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
    if (/expires=Thu, 01 Jan 1970/i.test(line) || value.join('=') === '') jar.delete(name);
    else jar.set(name, { value: value.join('='), path });
  };
  const ask = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const at = new URL(address, origin);
    const answer = await fetch(at, {
      ...init,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: cookieFor(at.pathname),
        ...(init.headers as Record<string, string> | undefined),
      },
    });
    for (const line of answer.headers.getSetCookie()) keep(line);
    return answer;
  };
  /** Follows redirects while they stay at the origin, and stops at a page that a person has to look at. */
  const visit = async (
    address: string,
    init: RequestInit = {},
  ): Promise<{ at: string; answer: Response }> => {
    const answer = await ask(address, init);
    const location = answer.headers.get('location');
    if (location === null) return { at: address, answer };
    const next = new URL(location, origin);
    if (next.origin !== origin || next.pathname.startsWith('/oauth/interaction/'))
      return { at: next.href, answer };
    return visit(next.href);
  };
  const headersAt = (path: string) => new Headers({ cookie: cookieFor(path) });
  return { ask, visit, headersAt };
}

type Browser = ReturnType<typeof createBrowser>;

/** Does what the sign-in pages do once somebody has decided. @returns the address where the browser ends up. */
export async function decide(
  { service }: Pick<IdentityServer, 'service'>,
  {
    browser,
    at,
    outcome,
  }: { readonly browser: Browser; readonly at: string; readonly outcome: Consent | 'denied' },
): Promise<{ at: string; answer: Response }> {
  const { pathname } = new URL(at);
  const id = pathname.split('/').at(-1) ?? '';
  const { location } = await service.interactions.finish(
    { id, headers: browser.headersAt(pathname) },
    outcome,
  );
  return browser.visit(location);
}
