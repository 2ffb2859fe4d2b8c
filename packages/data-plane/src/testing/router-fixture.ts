import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { createClient, ownHosts, type Principal } from '@roadstead/contracts';
import { identity } from '@roadstead/contracts/identity';
import { type CallerContext, listen } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { createCredentials } from '@roadstead/service';
import { useFixturePerTest, useFolderPerTest } from '@roadstead/testing';
import { WebSocket, WebSocketServer } from 'ws';
import type { RoutePolicy, RunningDeployment } from '../ports/runtime.ts';
import { ClaimedHosts } from '../router/claimed-hosts.ts';
import { createRouter, type RouterOptions } from '../router/router.ts';
import { Routes } from '../router/routes.ts';

/** A router with an identity and with deployments that are functions of the test. */

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}
interface ReceivedRequest {
  readonly request: Request;
  readonly inward: CallerContext;
  readonly body: string;
}
interface CallOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Headers of every answer below `/agents`. */
export const fenced = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' };
const principal: Principal = { workspace_id: 'w', actor: 'key:test', scopes: ['agents:invoke'] };

/** A runtime whose deployment echoes each message, with the path it came to. */
export const speakWebSocket: RunningDeployment['upgrade'] = async (request, { socket, head, inward }) => {
  const { path } = await inward();
  const speaker = new WebSocketServer({ noServer: true });
  speaker.handleUpgrade(request, socket, head, (spoken) => {
    spoken.on('message', (text: Buffer) => {
      spoken.send(`${path} ${request.headers.cookie ?? 'no cookie'} ${text.toString()}`);
    });
  });
  return undefined;
};

class RouterFixture {
  readonly routes = new Routes();
  readonly hosts = new ClaimedHosts(ownHosts([]));
  /** Requests that reached a deployment. */
  readonly seen: ReceivedRequest[] = [];
  /** Credentials that identity was asked about. */
  readonly asked: { credential: string; workspace_id?: string }[] = [];
  /** What identity answers with. */
  identityStatus = 200;
  expires_in_ms = 60_000;
  now = 1_000_000;
  /** The caller that an assertion names. */
  caller: Principal | undefined = principal;
  policy: RoutePolicy = { verifies: true, cors: null };
  /** What a deployment answers. */
  answer = async (_request: Request): Promise<Response> => Response.json({ ok: true });
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    const mute = this.#deployment();
    const upgrade: RunningDeployment['upgrade'] = async (request, connection) => {
      const { assertion, refused } = await connection.inward();
      if (this.policy.verifies && assertion === undefined)
        throw refused ?? new Problem('unauthenticated', 'Who calls?');
      return speakWebSocket(request, connection);
    };
    const running = { ...mute, upgrade };
    this.routes.set('mine', { deployment_id: 'd', workspace_id: 'w', running });
    this.routes.set('mute', { deployment_id: 'm', workspace_id: 'w', running: mute });
    this.routes.set('other', { deployment_id: 'o', workspace_id: 'w', running });
    this.routes.fail('lost');
    this.routes.markReady();
  }

  get socket(): string {
    return join(this.#folder, 's');
  }

  open() {
    return this.#open(this.socket, { routes: this.routes, credentials: this.#credentials() });
  }

  /** A router that has just started and has no route yet. For its credentials every caller is the same. */
  async openStarting(inward: Omit<CallerContext, 'path'>, rest: Pick<RouterOptions, 'coming_back_ms'> = {}) {
    const socket = join(this.#folder, 'starting');
    const routes = new Routes();
    const credentials = { inward: async () => inward, forget: () => undefined };
    const opened = await this.#open(socket, { routes, credentials, ...rest });
    return {
      routes,
      call: (path: string, options: CallOptions = {}) => send(socket, path, options),
      connect: (path: string, headers: Record<string, string> = {}) => this.connect(path, headers, socket),
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
    };
  }

  call(path: string, options: CallOptions = {}): Promise<Answer> {
    return send(this.socket, path, options);
  }

  connect(path: string, headers: Record<string, string> = { 'x-api-key': 'k' }, at = this.socket) {
    const socket = new WebSocket(`ws+unix://${at}:${path}`, { headers });
    const opened = new Promise<number>((resolve) => {
      socket.on('open', () => resolve(101));
      socket.on('error', () => resolve(0));
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    });
    return { socket, opened };
  }

  #open(socket: string, options: Pick<RouterOptions, 'routes' | 'credentials' | 'coming_back_ms'>) {
    const limits = { all: 10, per_deployment: 3 };
    const { hosts } = this;
    const { listener, onUpgrade } = createRouter({ ...options, hosts, limits });
    return listen(listener, { socket }, { drain_ms: 100, onUpgrade });
  }

  #credentials() {
    const fetch = async (request: Request) => {
      const body = (await request.json()) as (typeof this.asked)[number];
      this.asked.push(body);
      if (this.identityStatus !== 200)
        return Response.json({ detail: 'no' }, { status: this.identityStatus });
      const expires_at = new Date(this.now + this.expires_in_ms).toISOString();
      return Response.json({ assertion: `signed:${body.credential}`, expires_at });
    };
    const client = createClient(identity, { base_url: 'http://identity.invalid', fetch });
    return createCredentials(client, () => this.now);
  }

  #deployment(): RunningDeployment {
    return {
      prepare: () => Promise.reject(new Error('unused')),
      restore: () => undefined,
      activate: async () => undefined,
      retire: async () => undefined,
      hosts: () => 0,
      kill: () => undefined,
      routePolicy: () => this.policy,
      fetch: async (request, inward) => {
        const body = request.method === 'GET' ? '' : await request.clone().text();
        this.seen.push({ request, inward, body });
        return this.answer(request);
      },
      upgrade: () => Promise.reject(new Problem('not_implemented', 'Nothing here speaks WebSocket.')),
      close: async () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
}

function send(socketPath: string, path: string, { body, ...rest }: CallOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ socketPath, path, ...rest }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on('error', reject).end(body);
  });
}

/**
 * A router for each test. The deployments `mine` and `other` speak WebSocket and `mute` does not; `lost` can't be brought back.
 */
export function useRouter() {
  const folder = useFolderPerTest('router-');
  const router = useFixturePerTest(() => new RouterFixture(folder()));
  const server = useFixturePerTest(() => router().open());
  return { router, server };
}
