import { beforeEach, expect, test } from 'vitest';
import { createSigner, createSigningKey, type Signer } from '@roadstead/http';
import { createFetchingVerifier } from './fetched-keys.ts';

const principal = { workspace_id: 'w', actor: 'key:1', scopes: ['admin' as const] };

let now: number;
let signer: Signer;
let asked: number;
let isAway: boolean;
beforeEach(() => {
  [now, asked, isAway] = [1_000_000_000, 0, false];
  signer = newSigner();
});

const newSigner = () => createSigner(createSigningKey(), () => now);
const identity = {
  readSigningKeys: async () => {
    asked += 1;
    if (isAway) throw new Error('away');
    return { keys: signer.public_keys.map((key) => ({ ...key })) };
  },
};
const verifier = () => createFetchingVerifier(identity, 'platform', { now: () => now });

test('when several callers need keys, then the keys are asked for once', async () => {
  const verify = verifier();
  const assertion = signer.sign(principal, 'platform');
  expect(await Promise.all([verify(assertion), verify(assertion)])).toEqual([principal, principal]);
  expect(await verify(assertion)).toEqual(principal);
  expect(asked).toBe(1);
});

test('when an assertion has a new key, then the keys are asked for again, at most each 10 s', async () => {
  const verify = verifier();
  expect(await verify(signer.sign(principal, 'platform'))).toEqual(principal);
  const stranger = newSigner().sign(principal, 'platform');
  for (let count = 0; count < 5; count += 1) expect(await verify(stranger)).toBeUndefined();
  expect(asked).toBe(1);
  signer = newSigner();
  expect(await verify(signer.sign(principal, 'platform'))).toBeUndefined();
  now += 10_001;
  expect(await verify(signer.sign(principal, 'platform'))).toEqual(principal);
  expect(asked).toBe(2);
});

test('when several callers come with a new key, then none is refused while keys are fetched', async () => {
  const verify = verifier();
  expect(await verify(signer.sign(principal, 'platform'))).toEqual(principal);
  signer = newSigner();
  now += 10_001;
  const call = async () => verify(signer.sign(principal, 'platform'));
  expect(await Promise.all([call(), call(), call()])).toEqual([principal, principal, principal]);
  expect(asked).toBe(2);
});

test('when a key was withdrawn, then it is trusted no longer than ten minutes', async () => {
  const verify = verifier();
  const old = signer;
  expect(await verify(old.sign(principal, 'platform'))).toEqual(principal);
  signer = newSigner();
  now += 600_001;
  expect(await verify(old.sign(principal, 'platform'))).toBeUndefined();
});

test('when identity is away, then known keys stay good, and without any nobody can be verified', async () => {
  const verify = verifier();
  expect(await verify(signer.sign(principal, 'platform'))).toEqual(principal);
  isAway = true;
  now += 600_001;
  expect(await verify(signer.sign(principal, 'platform'))).toEqual(principal);
  await expect(verifier()(signer.sign(principal, 'platform'))).rejects.toMatchObject({ kind: 'unavailable' });
});

test('when an assertion is for another audience, then it is none', async () => {
  expect(await verifier()(signer.sign(principal, 'identity'))).toBeUndefined();
});
