import { ApiError, type ClientFetch } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { readAnswer } from './answer-reader.ts';
import { slugOf } from './agent-address-rules.ts';

/** The addresses of agents. */
export interface AgentAccess {
  /** Their public address, as deployments show it, with `{slug}`. */
  readonly pattern: string;
  /** The base of their paths when they are called: `{base}/{slug}/…`. */
  readonly base: string;
  /** Used in place of the network. */
  readonly fetch?: ClientFetch;
}

/** Calls deployed agents as the caller; nobody else is called, since the key is sent along. */
export interface AgentClient {
  /**
   * @param url the deployment’s address, from the control plane
   * @throws Problem where it is no agent’s address of this platform
   */
  readonly at: (url: string) => DeployedAgent;
}

interface DeployedAgent {
  readonly get: (path: string, signal: AbortSignal) => Promise<unknown>;
  readonly post: (path: string, body: object, signal: AbortSignal) => Promise<unknown>;
  /** The path of an address below this agent’s own; undefined for any other. */
  readonly pathOf: (url: string) => string | undefined;
}

/** The limit of one call; a task may take longer, and is polled. */
const TIMEOUT_MS = 60_000;

interface Call {
  readonly address: string;
  readonly signal: AbortSignal;
  readonly body?: object;
}

export function openAgents(
  { pattern, base, fetch: ask = fetchWithoutRedirects }: AgentAccess,
  headers: Readonly<Record<string, string>>,
): AgentClient {
  const call = async ({ address, signal, body }: Call) => {
    const over = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const request = new Request(address, {
      headers: { accept: 'application/json', ...headers },
      signal: over,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    if (body !== undefined) request.headers.set('content-type', 'application/json');
    const response = await ask(request, { signal: over }).catch((cause: unknown) => {
      if (signal.aborted) throw cause;
      throw new ApiError('The agent cannot be reached.', { status: 0, cause });
    });
    const answer = await readAnswer(response);
    if (response.ok) return answer;
    throw new ApiError(sentenceOf(answer) ?? `The agent answered ${response.status}.`, {
      status: response.status,
      body: answer,
    });
  };
  return {
    at: (url) => {
      const slug = slugOf(url, pattern);
      if (slug === undefined)
        throw new Problem(
          'invalid',
          'The deployment answers at an address that is not of this platform’s agents.',
          {
            code: 'agent_elsewhere',
            hint: 'Call it by an A2A client of your own; the key is sent to agents of this platform only.',
          },
        );
      const agent = `${base}/${slug.text}`;
      return {
        get: (path, signal) => call({ address: agent + path, signal }),
        post: (path, body, signal) => call({ address: agent + path, signal, body }),
        pathOf: (address) => slug.pathOf(address),
      };
    },
  };
}

function sentenceOf(answer: unknown): string | undefined {
  const { detail, error } = (answer ?? {}) as { detail?: unknown; error?: { message?: unknown } };
  return [detail, error?.message].find((said) => typeof said === 'string');
}

/** A redirect would carry the key to another address. */
const fetchWithoutRedirects: ClientFetch = (request, init) => fetch(request, { ...init, redirect: 'error' });
