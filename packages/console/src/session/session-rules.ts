/** What follows from refused tokens and from another person. */

/** Agents have an `auth` of their own, which may refuse whoever the platform lets in: a new token would not help. */
export const isRenewable = (url: string): boolean => !new URL(url).pathname.startsWith('/agents/');

interface SilentAnswer {
  /** The address at which the redirects ended. */
  readonly url: URL;
  readonly status: number;
}

interface SilentRequest {
  readonly state: string;
  readonly callback: string;
  /** Whether a token was there before, so that somebody may have begun something on the page. */
  readonly is_renewal: boolean;
}

/**
 * What follows from asking for a code in the background: the code, the sign-in page, or that it is asked again later. A
 * platform that is away or busy has not said that nobody is signed in. What a first request is refused for, the sign-in
 * page says.
 */
export function silentOutcome(
  { url: { pathname, searchParams }, status }: SilentAnswer,
  { state, callback, is_renewal }: SilentRequest,
): { readonly code: string } | 'sign in' | 'ask later' {
  if (pathname === callback && searchParams.get('state') === state) {
    const code = searchParams.get('code');
    return code === null ? 'sign in' : { code };
  }
  const isPassing = status === 429 || status >= 500;
  return is_renewal || isPassing ? 'ask later' : 'sign in';
}

interface Person {
  readonly actor: string;
  readonly workspace: { readonly id: string } | null;
}

/** Whether what was loaded for one person must not be shown to the other. */
export const isOther = (before: Person | undefined, now: Person): boolean =>
  before !== undefined && (before.actor !== now.actor || before.workspace?.id !== now.workspace?.id);
