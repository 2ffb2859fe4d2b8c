import type { Access, Scope } from '@roadstead/contracts';
import { allows } from '@roadstead/contracts/access-rules';
import { ApiError } from '@roadstead/contracts/client';
import { CONSOLE_CALLBACK, CONSOLE_CLIENT, CONSOLE_PATH } from '@roadstead/contracts/identity';
import { challengeOf, randomText } from './pkce.ts';
import { silentOutcome } from './session-rules.ts';

/**
 * Who is signed in. The console is a client of our own OAuth server: it asks for a code, without a page where the
 * browser is signed in already, and exchanges it for an access token. The token is kept in this tab's memory alone.
 * (RFC 6749, 7636; docs/decisions/0110)
 */

/** Where this tab goes on after it came back from the sign-in page; it holds no secret but a verifier that is used once. */
const PENDING = 'roadstead-sign-in';
/** The workspace that this tab looks at, of those in which the browser is signed in. */
const WORKSPACE = 'roadstead-workspace';
/** A token is renewed so long before its end. */
const EARLY_MS = 60_000;

interface Token {
  readonly access_token: string;
  readonly scopes: readonly Scope[];
  readonly expires_ms: number;
}

let token: Token | undefined;
let renewal: Promise<Token | undefined> | undefined;
let onRenewed = () => {};

/** Tells when a later token has come, which may be of another person: somebody signed in anew in another tab. */
export const whenRenewed = (listener: () => void): void => void (onRenewed = listener);

/** Whether the caller's scopes give one of these accesses. */
export const mayDo = (access: Access | readonly Access[]): boolean =>
  allows(token?.scopes ?? [], typeof access === 'string' ? [access] : access);

/** A valid access token; leads to the sign-in page where nobody is signed in. */
export async function accessToken(): Promise<string> {
  if (token !== undefined && token.expires_ms - EARLY_MS > Date.now()) return token.access_token;
  const renewed = await renew();
  if (renewed === undefined) return signIn();
  return renewed.access_token;
}

/** Ends a token that was refused: the next call asks for another. Until then its scopes say what the page shows. */
export const expireToken = (refused: string): void => {
  if (token?.access_token === refused) token = { ...token, expires_ms: 0 };
};

/** Asks for a token by the session of this browser; undefined where nobody is signed in, and throws where that is not known. Calls at once share one answer. */
function renew(): Promise<Token | undefined> {
  renewal ??= silently().finally(() => (renewal = undefined));
  return renewal;
}

/**
 * Asks without a page. Each step is a redirect within this origin, which `fetch` follows; the last address holds the
 * code, or why there is none.
 */
async function silently(): Promise<Token | undefined> {
  const [verifier, state] = [randomText(), randomText()];
  const answer = await fetch(await authorization({ verifier, state, prompt: 'none' }), {
    credentials: 'same-origin',
    headers: { accept: 'text/html' },
  });
  const isLater = token !== undefined;
  const outcome = silentOutcome(
    { url: new URL(answer.url), status: answer.status },
    { state, callback: CONSOLE_CALLBACK, is_renewal: isLater },
  );
  if (outcome === 'sign in') return undefined;
  if (outcome === 'ask later') {
    const sentence = `Who is signed in could not be asked: the server answered ${answer.status}.`;
    // What is no answer of ours may have any status, and passes.
    throw new ApiError(sentence, { status: answer.status === 429 ? 429 : 503 });
  }
  token = await exchange(outcome.code, verifier);
  if (isLater) onRenewed();
  return token;
}

/** Leaves for the sign-in page, which leads back to where this tab is. */
async function signIn(): Promise<never> {
  const [verifier, state] = [randomText(), randomText()];
  const to = location.pathname + location.search + location.hash;
  sessionStorage.setItem(PENDING, JSON.stringify({ verifier, state, to }));
  location.assign(await authorization({ verifier, state }));
  return new Promise<never>(() => {});
}

/** Ends the sign-in that led to the callback. @returns where this tab was, below `/console`. */
export async function finishSignIn(): Promise<string> {
  const pending = JSON.parse(sessionStorage.getItem(PENDING) ?? '{}') as Partial<
    Record<'verifier' | 'state' | 'to', string>
  >;
  sessionStorage.removeItem(PENDING);
  const { verifier, state, to = CONSOLE_PATH } = pending;
  const code = state === undefined ? undefined : codeIn(new URL(location.href), state);
  if (code !== undefined && verifier !== undefined) token = await exchange(code, verifier);
  return to.startsWith(`${CONSOLE_PATH}/`) ? to : CONSOLE_PATH;
}

/** Looks at another workspace from now on. */
export function chooseWorkspace(id: string): void {
  sessionStorage.setItem(WORKSPACE, id);
  location.assign(CONSOLE_PATH);
}

/** Ends the session of this browser, or of every browser of this person; throws where the server did not. */
export async function signOut(everywhere: boolean): Promise<void> {
  const bearer = token?.access_token;
  const answer = await fetch('/oauth/sign-out', {
    method: 'POST',
    body: new URLSearchParams({ everywhere: String(everywhere) }),
    ...(bearer !== undefined && { headers: { authorization: `Bearer ${bearer}` } }),
  }).catch(() => undefined);
  if (answer?.ok !== true) throw new Error(`You are still signed in: ${reasonOf(answer)}. Try again.`);
  token = undefined;
  sessionStorage.removeItem(WORKSPACE);
  location.assign(CONSOLE_PATH);
}

const reasonOf = (answer: Response | undefined) =>
  answer === undefined ? 'the server cannot be reached' : `the server answered ${answer.status}`;

async function authorization(asked: {
  readonly verifier: string;
  readonly state: string;
  readonly prompt?: 'none';
}): Promise<string> {
  const { verifier, state, prompt } = asked;
  const workspace = sessionStorage.getItem(WORKSPACE);
  const query = new URLSearchParams({
    client_id: CONSOLE_CLIENT,
    response_type: 'code',
    redirect_uri: location.origin + CONSOLE_CALLBACK,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 'S256',
    state,
    ...(prompt !== undefined && { prompt }),
    ...(workspace !== null && { workspace }),
  });
  return `/oauth/authorize?${query.toString()}`;
}

function codeIn({ pathname, searchParams }: URL, state: string): string | undefined {
  if (pathname !== CONSOLE_CALLBACK || searchParams.get('state') !== state) return undefined;
  return searchParams.get('code') ?? undefined;
}

async function exchange(code: string, verifier: string): Promise<Token> {
  const answer = await fetch('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: CONSOLE_CLIENT,
      redirect_uri: location.origin + CONSOLE_CALLBACK,
      code,
      code_verifier: verifier,
    }),
  });
  if (!answer.ok)
    throw new ApiError('The sign-in did not succeed; reload the page to try again.', {
      status: answer.status,
    });
  const { access_token, expires_in, scope } = (await answer.json()) as {
    readonly access_token: string;
    readonly expires_in: number;
    readonly scope: string;
  };
  return {
    access_token,
    expires_ms: Date.now() + expires_in * 1000,
    scopes: scope.split(' ') as Scope[],
  };
}
