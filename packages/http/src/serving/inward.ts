import { ADDRESS_HEADER, ASSERTION_HEADER, type Principal, REFUSAL_HEADER } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';

/** What an edge knows of a request that it passes inward: an object within a process, headers between processes. */
export interface CallerContext {
  /** A signed assertion that names the caller. */
  readonly assertion?: string;
  /** Identifies the caller in place of an assertion, asked only where an endpoint needs it. Within a process only. */
  readonly identify?: () => Promise<Principal>;
  /** Why the caller's credential was refused; answered in the dialect of an endpoint that needs a credential. */
  readonly refused?: Problem;
  /** The path to route by, where it isn't the URL's (below `/agents/{slug}`). */
  readonly path?: string;
  /** The network address of the edge's caller. */
  readonly address?: string | undefined;
}

export function inwardHeaders({ assertion, refused, address }: CallerContext): Record<string, string> {
  return {
    ...(assertion === undefined ? {} : { [ASSERTION_HEADER]: assertion }),
    ...(refused === undefined ? {} : { [REFUSAL_HEADER]: encode(refused) }),
    ...(address === undefined ? {} : { [ADDRESS_HEADER]: address }),
  };
}

/** The context that an edge sent in headers. */
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

/** Only an edge can send one, so a malformed value is merely kept from doing more than refusing. */
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
