import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signs what an address permits, so that the address itself is the permission (HMAC-SHA-256, with an expiry). */
export interface AddressSigner<Claims extends object> {
  sign(claims: Claims, lifetime_s: number): string;
  /** The claims of a token that we signed and that has not expired. */
  read(token: string): Claims | undefined;
}

/** @param purpose Tokens for one purpose are worthless for another. */
export function createAddressSigner<Claims extends object>({
  secret,
  purpose,
  now = Date.now,
}: {
  readonly secret: string;
  readonly purpose: string;
  readonly now?: () => number;
}): AddressSigner<Claims> {
  const macOf = (body: string) => createHmac('sha256', `${purpose}:${secret}`).update(body).digest();
  return {
    sign(claims, lifetime_s) {
      const body = Buffer.from(
        JSON.stringify({ ...claims, exp: Math.floor(now() / 1000) + lifetime_s }),
      ).toString('base64url');
      return `${body}.${macOf(body).toString('base64url')}`;
    },
    read(token) {
      const [body = '', mac = ''] = token.split('.');
      const given = Buffer.from(mac, 'base64url');
      const right = macOf(body);
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
      const { exp, ...claims } = JSON.parse(Buffer.from(body, 'base64url').toString()) as Claims & {
        exp: number;
      };
      return exp * 1000 > now() ? (claims as unknown as Claims) : undefined;
    },
  };
}
