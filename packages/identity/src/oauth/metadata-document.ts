import { Problem } from '@roadstead/kit';
import { publicClient } from './registration-rules.ts';

const MAX_DOCUMENT_BYTES = 16_384;

/**
 * The `fetch` with which the library reads the description of a client at the address that is the client's id. It
 * calls the public internet only, follows no redirect, and treats every client as public.
 */
export function fetchMetadataDocument(outbound: (request: Request) => Promise<Response>) {
  return async (url: string | URL | Request, { headers, signal }: RequestInit = {}): Promise<Response> => {
    const answer = await outbound(
      new Request(url, {
        redirect: 'manual',
        ...(headers === undefined ? {} : { headers }),
        ...(signal ? { signal } : {}),
      }),
    );
    if (answer.status !== 200) return answer;
    const text = await answer.text();
    if (text.length > MAX_DOCUMENT_BYTES)
      throw new Problem('invalid', 'The description of a client is too large.');
    const described: unknown = JSON.parse(text);
    const { client_id } = described as { client_id?: unknown };
    return Response.json(
      { client_id, ...publicClient(described) },
      { headers: pick(answer.headers, ['cache-control', 'expires']) },
    );
  };
}

function pick(headers: Headers, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? '']] : [])),
  );
}
