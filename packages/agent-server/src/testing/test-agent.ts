import { a2aEndpoints, agentCardEndpoints, infoEndpoints } from '@roadstead/contracts/agent-server';
import type { CardWords } from '@roadstead/contracts/host';
import {
  createSigner,
  createSigningKey,
  createVerifier,
  type CallerContext,
  listen,
  serve,
  toNodeListener,
} from '@roadstead/http';
import { type Log, silentLog } from '@roadstead/kit';
import type { AccessRules } from '../access/caller.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';
import { createA2aHandlers } from '../a2a/a2a-routes.ts';
import { createCardHandlers, createPublicCards } from '../a2a/cards/agent-cards-routes.ts';
import { createAgentCards } from '../a2a/cards/agent-cards.ts';
import { createCardKey } from '../a2a/cards/card-signing.ts';
import { securityOf } from '../a2a/cards/security-schemes.ts';
import { createInfoHandlers } from '../info/info-routes.ts';
import { type FakeGraphs, fakeGraphs } from './fake-graphs.ts';
import { FakeTaskEngine } from './fake-task-engine.ts';

/** An agent of scripted graphs behind a real HTTP server, with an edge that knows two keys; for tests. */
export interface TestAgent extends AsyncDisposable {
  readonly engine: FakeTaskEngine;
  readonly release: FakeGraphs['release'];
  /** The address below which A2A is served, without a trailing slash. */
  readonly url: string;
  /** A fetch with the first workspace's key. */
  readonly fetch: typeof fetch;
  /** Calls a method of an assistant and reads the answer. */
  call(assistant: string, payload: unknown, options?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The query that is appended to the address. */
  readonly query?: string;
  readonly key?: string;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined where it is none. */
  readonly body: Rpc | undefined;
  /** The data of each event. */
  readonly events: readonly Rpc[];
}

/** Wide enough for tests to look into; held to shape by their expectations. */
export interface Rpc {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const keys: Readonly<Record<string, string>> = { first: 'workspace-1', second: 'workspace-2' };

export interface TestAgentOptions {
  readonly disabled?: boolean;
  /** The deployment's variables. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly heartbeat_ms?: number;
  readonly max_body_bytes?: number;
  readonly log?: Log;
  /** The card words of the graphs. */
  readonly cards?: Readonly<Record<string, CardWords>>;
  /** The access rules; by default everybody may do everything. */
  readonly access?: AccessRules;
  /** Wraps the engine in memory. */
  readonly wrap?: (engine: TaskEngine) => TaskEngine;
  /** Where it listens instead of on a port. */
  readonly socket?: string;
}

export async function openTestAgent(options: TestAgentOptions = {}): Promise<TestAgent> {
  const { graphs, release } = fakeGraphs(options.cards);
  const engine = new FakeTaskEngine(graphs);
  const signer = createSigner(createSigningKey());
  const verify = createVerifier(signer.public_keys, { audience: 'agent-server' });
  const at = Promise.withResolvers<string>();
  const key = createCardKey();
  const served = at.promise.then((public_url) => {
    const a2a = {
      engine: options.wrap?.(engine) ?? engine,
      access: options.access ?? { authorize: async (_caller, { value }) => ({ value, filters: null }) },
      public_url: () => public_url,
      name: 'harbour',
      version: '1.2.3',
      security: () => securityOf(null),
      card_key: async () => key,
      environment: () => options.environment ?? {},
      disabled: () => options.disabled ?? false,
      ...(options.heartbeat_ms === undefined ? {} : { heartbeat_ms: options.heartbeat_ms }),
      ...(options.max_body_bytes === undefined ? {} : { max_body_bytes: options.max_body_bytes }),
      log: options.log ?? silentLog,
    };
    const cards = createAgentCards(a2a);
    const handlers = {
      ...createA2aHandlers(a2a, cards),
      ...createCardHandlers(a2a, cards),
      callAgentMcp: async () => new Response(),
      ...createInfoHandlers({
        name: 'harbour',
        public_url: () => public_url,
        active: () => undefined,
        checkDatabase: async () => undefined,
        areHostsWell: () => true,
        metrics: async () => [],
        describeApp: async (document) => document,
      }),
    };
    const served = serve({ ...a2aEndpoints, ...agentCardEndpoints, ...infoEndpoints }, handlers, {
      service: 'test',
      verify,
      log: silentLog,
      check_answers: true,
    });
    const open = createPublicCards(a2a, cards);
    return {
      fetch: async (request: Request, inward: CallerContext) =>
        (inward.assertion === undefined ? await open(request, inward) : undefined) ??
        served.fetch(request, inward),
    };
  });
  const listener = toNodeListener(async (request) => {
    const workspace_id = keys[request.headers.get('x-api-key') ?? ''];
    const principal = {
      workspace_id: workspace_id ?? '',
      actor: 'key:test',
      scopes: ['agents:invoke' as const],
    };
    const assertion = workspace_id === undefined ? {} : { assertion: signer.sign(principal, 'agent-server') };
    return (await served).fetch(request, assertion);
  });
  const server = await listen(
    listener,
    options.socket === undefined ? { host: '127.0.0.1', port: 0 } : { socket: options.socket },
    { drain_ms: 100 },
  );
  const url = `http://127.0.0.1:${server.port}`;
  at.resolve(url);
  return {
    engine,
    release,
    url,
    fetch: withKey('first'),
    call: async (assistant, payload, { headers = {}, query = '', key = 'first' } = {}) => {
      const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
      const all = { 'content-type': 'application/json', ...headers };
      return read(
        await withKey(key)(`${url}/a2a/${assistant}${query}`, { method: 'POST', headers: all, body }),
      );
    },
    [Symbol.asyncDispose]: async () => {
      release();
      await server[Symbol.asyncDispose]();
    },
  };
}

function withKey(key: string): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('X-Api-Key', key);
    return fetch(input, { ...init, headers });
  };
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const data = text.split('\n').filter((line) => line.startsWith('data: '));
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? (JSON.parse(text) as Rpc) : undefined,
    events: data.map((line) => JSON.parse(line.slice('data: '.length)) as Rpc),
  };
}
