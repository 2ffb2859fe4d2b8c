import type { Blobs, DownloadHeaders } from './blobs.ts';

interface Download {
  readonly digest: string;
  readonly request: Request;
  /** The address under which clients reach us. */
  readonly public_url: string;
  readonly headers: DownloadHeaders;
}

/**
 * The answer that sends a client to where it can read a blob without us (303); undefined where it can’t, or where there is
 * no such blob. A script in a page stays with us, since its page allows it no other server; and so does everybody where the bucket is
 * at our own host or below it: clients keep their credentials on the way there, and S3 refuses them.
 */
export async function redirectToBlob(
  blobs: Blobs,
  { digest, request, public_url, headers }: Download,
): Promise<Response | undefined> {
  const mode = request.headers.get('sec-fetch-mode');
  if (request.method !== 'GET' || (mode !== null && mode !== 'navigate')) return undefined;
  const location = await blobs.address(digest, headers);
  if (location === undefined || isAtHome(location, public_url) || !(await blobs.has(digest)))
    return undefined;
  // The address holds for minutes only.
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
}

function isAtHome(location: string, public_url: string): boolean {
  const [host, own] = [new URL(location).hostname, new URL(public_url).hostname];
  return host === own || host.endsWith(`.${own}`);
}
