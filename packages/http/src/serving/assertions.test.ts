import { createPrivateKey, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSigner, createSigningKey, createVerifier } from './assertions.ts';

const pem = createSigningKey();
const now = () => 1_700_000_000_000;
const signer = createSigner(pem, now);
const verify = createVerifier(signer.public_keys, { audience: 'identity', now });
const principal = { workspace_id: 'w', actor: 'service:test', scopes: ['admin' as const] };

/** An assertion of ours whose claims are changed before it is signed. */
function signed(change: object): string {
  const [header = '', body = ''] = signer.sign(principal, 'identity').split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
  const text = `${header}.${Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url')}`;
  return `${text}.${sign(null, Buffer.from(text), createPrivateKey(pem)).toString('base64url')}`;
}

test('when an assertion is verified, then it names the caller', () => {
  expect(verify(signed({}))).toEqual(principal);
});

test('when a new key comes to replace one, then the first signs, and what either signed is good', () => {
  const added = createSigningKey();
  const [during, after] = [createSigner(`${pem}\n${added}`, now), createSigner(`${added}${pem}`, now)];
  const knowing = (keys: typeof during.public_keys) => createVerifier(keys, { audience: 'identity', now });
  const ofBefore = signer.sign(principal, 'identity');
  const ofAfter = after.sign(principal, 'identity');
  for (const { public_keys } of [during, after])
    for (const assertion of [ofBefore, during.sign(principal, 'identity'), ofAfter])
      expect(knowing(public_keys)(assertion)).toEqual(principal);
  expect(verify(during.sign(principal, 'identity'))).toEqual(principal);
  expect(verify(ofAfter)).toBeUndefined();
});

test.each(['', 'no key'])('when there is no key in "%s", then nothing can be signed', (text) => {
  expect(() => createSigner(text)).toThrow(RangeError);
});

test.each([
  ['no end', { exp: undefined }],
  ['an end that is a word', { exp: 'never' }],
  ['an end that is a number in quotes', { exp: '99999999999' }],
  ['an end that is null', { exp: null }],
  ['no beginning', { iat: undefined }],
  ['a beginning that is a word', { iat: 'now' }],
  ['an end that is past', { exp: 1_699_999_999 }],
  ['another audience', { aud: 'observability' }],
])('when an assertion has %s, then it is refused, each time', (_what, change) => {
  for (const _ of [1, 2]) expect(verify(signed(change))).toBeUndefined();
});
