/** Proof Key for Code Exchange (RFC 7636), and random texts that are safe in an address. */

const urlSafe = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** 32 random bytes, as 43 characters. */
export const randomText = (): string => urlSafe(crypto.getRandomValues(new Uint8Array(32)));

export async function challengeOf(verifier: string): Promise<string> {
  return urlSafe(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

/** Whether the browser gives this page what signing in needs: over plain http it does so on the machine itself alone. */
export const canSignIn = (): boolean => (crypto as Partial<Crypto>).subtle !== undefined;
