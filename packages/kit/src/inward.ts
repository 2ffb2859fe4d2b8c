import { ADDRESS_HEADER, ASSERTION_HEADER, type Principal, REFUSAL_HEADER } from '@roadstead/contracts';
import { Problem } from './problems/problem.ts';

/** What an edge says of a request that it hands inward: within a process as it is, between processes by headers. */
export interface CallerContext {
  /** A signed assertion of who calls. */
  readonly assertion?: string;
  /** Tells who calls instead of an assertion, asked only where an endpoint needs to know. Within a process alone. */
  readonly identify?: () => Promise<Principal>;
  /** Why the caller's credential was refused; answered in the endpoint's dialect, where it needs one. */
  readonly refused?: Problem;
  /** The path to route by, where it isn't the URL's (below `/agents/{slug}`). */
  readonly path?: string;
  /** The network address of whoever calls the edge. */
  readonly address?: string | undefined;
}

export function inwardHeaders({ assertion, refused, address }: CallerContext): Record<string, string> {
  return {
    ...(assertion === undefined ? {} : { [ASSERTION_HEADER]: assertion }),
    ...(refused === undefined ? {} : { [REFUSAL_HEADER]: encode(refused) }),
    ...(address === undefined ? {} : { [ADDRESS_HEADER]: address }),
  };
}

/** What an edge said by headers. */
export function inwardOf({ headers }: Request): CallerContext {
  const [assertion, refusal] = [headers.get(ASSERTION_HEADER), headers.get(REFUSAL_HEADER)];
  const address = headers.get(ADDRESS_HEADER);
  return {
    ...(address === null ? {} : { address }),
    ...(assertion === null ? {} : { assertion }),
    ...(refusal === null ? {} : { refused: decode(refusal) }),
  };
}

const KINDS = ['unauthenticated', 'forbidden', 'unavailable'] as const;

function encode({ kind, message, hint, retry_after_s, code }: Problem): string {
  return Buffer.from(JSON.stringify({ kind, message, hint, retry_after_s, code })).toString('base64url');
}

/** Only an edge can send one, so a broken one is only prevented from doing more than to refuse. */
function decode(text: string): Problem {
  try {
    const { kind, message, ...more } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Problem;
    return new Problem(KINDS.find((one) => one === kind) ?? 'unauthenticated', message, {
      ...(more.hint === undefined ? {} : { hint: more.hint }),
      ...(more.retry_after_s === undefined ? {} : { retry_after_s: more.retry_after_s }),
      ...(more.code === undefined ? {} : { code: more.code }),
    });
  } catch {
    return new Problem('unauthenticated', 'The credential was refused.');
  }
}
