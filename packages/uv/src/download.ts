import { readFileSync } from 'node:fs';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { getCACertificates } from 'node:tls';
import type { IndexSettings } from './index-settings.ts';
import type { Environment } from './operator-settings.ts';

/** Fetches files of the operator's Python index: their own address, by their own proxy and certificates. */

const MAX_REDIRECTS = 5;
const IDLE_MS = 30_000;

export interface DownloadOptions {
  readonly settings: IndexSettings;
  /** Names proxies. */
  readonly environment: Environment;
  readonly accept: string;
  readonly max_bytes: number;
  readonly signal: AbortSignal;
}

export interface DownloadedFile {
  readonly bytes: Buffer;
  /** The address that answered, after redirects. */
  readonly at: string;
}

/** The host of the file does not answer as it should: later it may. */
export class IndexAway extends Error {
  override readonly name = 'IndexAway';
}

/** @throws Error that says why it was not fetched, and names no more of the address than its host; `IndexAway` where a retry may succeed. */
export async function download(
  address: string,
  options: DownloadOptions & { readonly login_for?: URL },
): Promise<DownloadedFile> {
  let url = new URL(address);
  const login_for = options.login_for ?? url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await send(url, { ...options, login_for });
    const { statusCode: status = 0, headers } = answer;
    if (status >= 300 && status < 400 && headers.location !== undefined) {
      answer.destroy();
      url = new URL(headers.location, url);
      continue;
    }
    if (status !== 200) {
      answer.destroy();
      throw new (isAway(status) ? IndexAway : Error)(`${url.host} answers ${status}`);
    }
    return { bytes: await readAll(answer, { host: url.host, max_bytes: options.max_bytes }), at: bare(url) };
  }
  throw new Error(`${url.host} redirects more than ${MAX_REDIRECTS} times`);
}

const isAway = (status: number) => status >= 500 || status === 408 || status === 429;

async function send(
  url: URL,
  { settings, environment, accept, signal, login_for }: DownloadOptions & { readonly login_for: URL },
): Promise<IncomingMessage> {
  const proxyEnv = { ...environment };
  const isSecure = url.protocol === 'https:';
  if (!isSecure && url.protocol !== 'http:') throw new Error(`${url.protocol} is not fetched`);
  const agent = isSecure
    ? new HttpsAgent({
        proxyEnv,
        ...trustOf(settings),
        rejectUnauthorized: !isInsecure(settings.insecure_hosts, url),
      })
    : new HttpAgent({ proxyEnv });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (isSecure ? requestHttps : requestHttp)(bare(url), {
    headers: { accept, 'user-agent': 'roadstead', ...authorizationOf(url, login_for) },
    agent,
    signal,
    timeout: IDLE_MS,
  });
  request.on('timeout', () => request.destroy(new Error(`${url.host} does not answer`)));
  request.on('response', resolve).on('error', reject).end();
  return await promise.catch((error: NodeJS.ErrnoException) => {
    signal.throwIfAborted();
    throw new IndexAway(`${url.host} cannot be reached (${error.code ?? error.message})`, { cause: error });
  });
}

async function readAll(
  answer: IncomingMessage,
  { host, max_bytes }: { readonly host: string; readonly max_bytes: number },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > max_bytes) throw new Error(`${host} answers with more than ${max_bytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The certificates of the operator beside those that are trusted anyway. */
function trustOf({ certificates }: IndexSettings): { readonly ca?: string[] } {
  if (certificates === undefined) return {};
  try {
    return { ca: [...getCACertificates('default'), readFileSync(certificates, 'utf8')] };
  } catch {
    return {};
  }
}

const isInsecure = (hosts: readonly string[], { host, hostname }: URL) =>
  hosts.includes(host) || hosts.includes(hostname);

/** A login goes to the host that it was given for, and to no other. */
function authorizationOf(url: URL, { origin, username, password }: URL): { readonly authorization?: string } {
  if (username === '' || url.origin !== origin) return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}

function bare(url: URL): string {
  const copy = new URL(url);
  copy.username = '';
  copy.password = '';
  return copy.href;
}
