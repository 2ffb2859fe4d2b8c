import { randomUUID } from 'node:crypto';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
  UnauthorizedError as ModernUnauthorized,
} from '@modelcontextprotocol/client';
import {
  type OAuthClientProvider,
  UnauthorizedError as LegacyUnauthorized,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { dataHome, startPlatform } from '../support/platform.ts';
import { askForTokens, authorization, consent, register, Person } from '@roadstead/testing/oauth';

/** The official clients' own way through OAuth, and the requests of those that people use, on the real platform. */

const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));

const REDIRECT = 'http://localhost:53122/callback';
const credential = () => ({ key: platform().key });

type ProviderState = Partial<
  Record<'client' | 'tokens', object> & Record<'verifier' | 'address' | 'state', string>
>;

/** What an application keeps, as both generations of the SDK ask for it. */
function createProvider(kept: ProviderState): OAuthClientProvider {
  return {
    redirectUrl: REDIRECT,
    clientMetadata: { client_name: 'An application of the SDK', redirect_uris: [REDIRECT] },
    state: () => (kept.state = randomUUID()),
    clientInformation: () => kept.client as { client_id: string } | undefined,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens as { access_token: string; token_type: string } | undefined,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (address) => void (kept.address = address.href),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? '',
  };
}

interface Connection {
  readonly connect: () => Promise<void>;
  readonly finish: (called: URL) => Promise<void>;
  readonly listTools: () => Promise<{ tools: { name: string }[] }>;
  readonly callTool: (name: string) => Promise<object>;
  readonly close: () => Promise<void>;
}

const generations: Readonly<
  Record<string, { unauthorized: unknown; open: (kept: ProviderState) => Connection }>
> = {
  'client 2.x': {
    unauthorized: ModernUnauthorized,
    open: (kept) => {
      const authProvider = createProvider(kept) as never;
      const transport = new ModernTransport(new URL(`${platform().url}/mcp`), { authProvider });
      const client = new ModernClient({ name: 'test', version: '1' });
      return {
        connect: () => client.connect(transport),
        finish: (called) => transport.finishAuth(called.searchParams),
        listTools: () => client.listTools(),
        callTool: (name) => client.callTool({ name, arguments: {} }),
        close: () => client.close(),
      };
    },
  },
  'client 1.x': {
    unauthorized: LegacyUnauthorized,
    open: (kept) => {
      const authProvider = createProvider(kept);
      const transport = new LegacyTransport(new URL(`${platform().url}/mcp`), { authProvider });
      const client = new LegacyClient({ name: 'test', version: '1' });
      return {
        connect: () => client.connect(transport),
        finish: (called) => transport.finishAuth(called.searchParams.get('code') ?? ''),
        listTools: () => client.listTools(),
        callTool: (name) => client.callTool({ name, arguments: {} }),
        close: () => client.close(),
      };
    },
  },
};

test.each(Object.entries(generations))(
  'when the official %s gets a 401, then it gets to a tool, and refreshes without asking',
  async (_name, { open, unauthorized }) => {
    const kept: ProviderState = {};
    const first = open(kept);
    await expect(first.connect()).rejects.toBeInstanceOf(unauthorized);
    const called = await consent(new Person(), { address: kept.address ?? '', credential: credential() });
    expect(called.searchParams.get('state')).toBe(kept.state);
    await first.finish(called);
    const second = open(kept);
    await second.connect();
    expect((await second.listTools()).tools.map(({ name }) => name)).toContain('list_projects');
    expect(await second.callTool('list_projects')).not.toMatchObject({ isError: true });
    await second.close();

    const before = kept.tokens as { access_token: string; refresh_token: string };
    kept.tokens = { ...before, access_token: `${before.access_token}x` };
    delete kept.address;
    const third = open(kept);
    await third.connect();
    expect(await third.callTool('list_projects')).not.toMatchObject({ isError: true });
    await third.close();
    expect(kept.address).toBeUndefined();
    expect(kept.tokens).not.toMatchObject({ refresh_token: before.refresh_token });
  },
);

/** How the applications that people use register and ask; what they send beside is left as it is. */
const applications = {
  'Claude Code: a port of its own, unknown members, no resource': {
    metadata: {
      client_name: 'Claude Code (roadstead)',
      redirect_uris: ['http://localhost:58263/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      software_id: 'claude-code',
      'x-unknown': { nested: [1] },
    },
    redirect_uri: 'http://localhost:58263/callback',
    asks: { scope: 'traces:read prompts:read offline_access' },
  },
  'claude.ai: a secret that it can’t keep, an https address': {
    metadata: {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'traces:read',
    },
    redirect_uri: 'https://claude.ai/api/mcp/auth_callback',
    asks: { resource: 'mcp' },
  },
  'Codex: 127.0.0.1 with another port than it registered, no resource': {
    metadata: {
      client_name: 'Codex',
      redirect_uris: ['http://127.0.0.1:40001/callback'],
      token_endpoint_auth_method: 'none',
    },
    redirect_uri: 'http://127.0.0.1:40999/callback',
    asks: {},
  },
  'VS Code: several addresses, of which it uses the one of its site': {
    metadata: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    redirect_uri: 'https://vscode.dev/redirect',
    asks: { resource: 'mcp', scope: 'traces:read' },
  },
  'Cursor: an address that the program opens': {
    metadata: {
      client_name: 'Cursor',
      redirect_uris: ['cursor://anysphere.cursor-retrieval/oauth/user-roadstead/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    redirect_uri: 'cursor://anysphere.cursor-retrieval/oauth/user-roadstead/callback',
    asks: { resource: 'mcp/' },
  },
} as const;

interface Application {
  readonly metadata: object;
  readonly redirect_uri: string;
  readonly asks: { readonly scope?: string; readonly resource?: string };
}

test.each(Object.entries<Application>(applications))(
  'when a known application asks, then somebody authorizes it: %s',
  async (_name, { metadata, redirect_uri, asks }) => {
    const { url } = platform();
    const { client_id, ...registered } = await register(url, metadata);
    expect(registered).toMatchObject({ token_endpoint_auth_method: 'none' });
    const resource = asks.resource === undefined ? {} : { resource: `${url}/${asks.resource}` };
    const { address, verifier } = authorization(url, { client_id, redirect_uri, ...asks, ...resource });
    const called = await consent(new Person(), { address, credential: credential() });
    expect(called.href.startsWith(redirect_uri)).toBe(true);
    const { status, body } = await askForTokens(url, {
      grant_type: 'authorization_code',
      client_id,
      redirect_uri,
      code: called.searchParams.get('code') ?? '',
      code_verifier: verifier,
      ...resource,
    });
    expect([status, body.refresh_token !== undefined]).toEqual([200, true]);
    const answer = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${body.access_token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('"tools"');
  },
);
