import { buildState } from './console-build.ts';
import { findConsoleFile } from './console-files.ts';
import { isBrowser, viewOf } from './link-rules.ts';
import { notBuiltAnswer } from './not-built.ts';

/** Serves the web console: a page, its files, and the addresses that lead to it. */

/** Answers what the console is asked; undefined for everything else. */
export type ConsolePages = (request: ConsoleRequest) => Promise<Response> | undefined;

interface ConsoleRequest {
  readonly method: string;
  /** The target: path and query. */
  readonly target: string;
  readonly accept: string | null | undefined;
  readonly accept_encoding: string | null | undefined;
}

const POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  // Attachments are fetched with the caller's token and shown as blobs.
  `img-src 'self' data: blob:`,
  `media-src 'self' data: blob:`,
  `connect-src 'self'`,
  `worker-src 'self'`,
  `frame-src 'none'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** Goes with files, too: a worker has the policy of its own file. */
const SAFE = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

export const consolePages: ConsolePages = ({ method, target, accept, accept_encoding }) => {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const [path = '/', query = ''] = target.split('?', 2);
  const brotli = /\bbr\b/.test(accept_encoding ?? '');
  if (path === '/console' || path.startsWith('/console/')) return consoleAnswer(path.slice(9), brotli);
  if (!isBrowser(method, accept)) return undefined;
  const view = viewOf(path, new URLSearchParams(query));
  return view === undefined ? undefined : Promise.resolve(goTo(view));
};

const goTo = (location: string) =>
  new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store', vary: 'accept' } });

async function consoleAnswer(path: string, brotli: boolean): Promise<Response> {
  // Everything else is an address within the console, whatever it ends in.
  const isFile = path.startsWith('assets/') || path === 'icon.svg';
  const file = await findConsoleFile(isFile ? path : 'index.html', brotli);
  if (file === undefined) return isFile ? notFound() : notBuilt();
  return new Response(file.bytes, {
    headers: {
      ...SAFE,
      'content-type': file.type,
      vary: 'accept-encoding',
      // The name of an asset changes with its content.
      'cache-control': path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(file.is_brotli && { 'content-encoding': 'br' }),
    },
  });
}

const notFound = () =>
  new Response('There is no such file of the console.', {
    status: 404,
    headers: { ...SAFE, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });

/** The platform serves before the console is built; the page asks again by itself. */
const notBuilt = () => notBuiltAnswer(buildState());
