import inject from 'light-my-request';
import type Provider from 'oidc-provider';

/** A request as the library receives it: for our own address, whatever its headers claim. */
export interface ProviderRequest {
  readonly method: string;
  /** Path and query below the issuer. */
  readonly target: string;
  readonly headers: Headers;
  readonly body?: string;
  readonly content_type?: string;
}

/** Passes a request of a browser or a client on to the library, to its own path or another. */
export type SendToLibrary = (
  call: { readonly request: Request },
  sent?: {
    readonly path?: string;
    readonly search?: string;
    readonly body?: string;
    readonly content_type?: string;
  },
) => Promise<Response>;

/** The only headers of a client that the library sees; we ourselves state the client's address and scheme. */
const PASSED = ['accept', 'cookie', 'user-agent'] as const;

/** Calls the library, which speaks Node's HTTP, by web-standard requests. */
export async function callProvider(
  provider: Provider,
  { method, target, headers, body, content_type }: ProviderRequest,
): Promise<Response> {
  const { protocol, host } = new URL(provider.issuer);
  const answer = await inject(provider.callback(), {
    method: method as 'GET',
    url: target,
    headers: {
      ...Object.fromEntries(PASSED.flatMap((name) => valueOf(headers, name))),
      host,
      'x-forwarded-proto': protocol.slice(0, -1),
      ...(body === undefined ? {} : { 'content-type': content_type }),
    },
    ...(body === undefined ? {} : { payload: body }),
  });
  return new Response(answer.rawPayload.length === 0 ? null : new Uint8Array(answer.rawPayload), {
    status: answer.statusCode,
    headers: headersOf(answer.headers),
  });
}

function valueOf(headers: Headers, name: string): [string, string][] {
  const value = headers.get(name);
  return value === null ? [] : [[name, value]];
}

/** Headers that belong to the body and the connection are set again. */
const DROPPED = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

function headersOf(answered: NodeJS.Dict<number | string | readonly string[]>): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(answered)) {
    if (DROPPED.has(name)) continue;
    for (const one of typeof value === 'object' ? value : [String(value)]) headers.append(name, one);
  }
  return headers;
}
