import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import type { SigningKey } from './keys/signing-key-work.ts';
import { mcpResource } from './request-rules.ts';
import { verifyToken } from './token-verifier.ts';

const URL_OF_OURS = 'https://roadstead.test';
const NOW_S = 1_800_000_000;
const grant_id = crypto.randomUUID();
const sound = {
  claims: { grant_id, client_id: 'editor' } as object,
  header: { alg: 'EdDSA', typ: 'at+jwt' },
  issuer: URL_OF_OURS,
  audience: mcpResource(URL_OF_OURS),
  ends_s: NOW_S + 60,
  is_ours: true,
};

async function verified(change: Partial<typeof sound>) {
  const { claims, header, issuer, audience, ends_s, is_ours } = { ...sound, ...change };
  const [ours, foreign] = [await generateKeyPair('EdDSA'), await generateKeyPair('EdDSA')];
  const token = await new SignJWT({ ...claims })
    .setProtectedHeader(header)
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime(ends_s)
    .sign((is_ours ? ours : foreign).privateKey);
  const keys = [{ public_key: await exportJWK(ours.publicKey) }] as unknown as readonly SigningKey[];
  return verifyToken(token, { keys, public_url: URL_OF_OURS, now: () => NOW_S * 1000 });
}

test('when a token is ours and holds, then its claims are read', async () => {
  expect(await verified({})).toEqual({
    grant_id,
    client_id: 'editor',
    expires_at: new Date((NOW_S + 60) * 1000).toISOString(),
  });
});

test.each<[string, Partial<typeof sound>]>([
  ['has expired', { ends_s: NOW_S - 1 }],
  ['is for another resource', { audience: 'https://other.test/mcp' }],
  ['is from another issuer', { issuer: 'https://other.test' }],
  ['is signed by another key', { is_ours: false }],
  ['is of another type', { header: { alg: 'EdDSA', typ: 'JWT' } }],
  ['names no grant', { claims: { client_id: 'editor' } }],
  ['names a grant by no id', { claims: { grant_id: 'one', client_id: 'editor' } }],
  ['names no client', { claims: { grant_id } }],
])('when a token %s, then it is no credential', async (_what, change) => {
  expect(await verified(change)).toBeUndefined();
});
