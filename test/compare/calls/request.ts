import type { Address, Answer } from './call.ts';

/** Headers of an answer that clients read. */
const shown = ['content-type', 'location', 'content-location', 'x-stamp', 'allow', 'x-pagination-total'];

interface RequestArguments {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request without an SDK: its status, what headers clients read, and its body. */
export async function sendRequest(
  address: Address,
  request: Readonly<Record<string, unknown>> & { readonly path: string },
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { method = 'GET', path, body, headers: own } = request as RequestArguments;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(address.url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(address.key === undefined ? {} : { 'x-api-key': address.key }),
      ...headers,
      ...own,
    },
    ...(text === undefined ? {} : { body: text }),
    redirect: 'manual',
  });
  const said = shown.flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value.replace(/;.*/, '')] as const];
  });
  const content = await answer.text();
  return {
    kind: 'value',
    value: { status: answer.status, headers: Object.fromEntries(said), body: bodyOf(content) },
  };
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
