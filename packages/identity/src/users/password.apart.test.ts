import { longestHold } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { checkPassword, hashPassword } from './password.ts';

const password = 'eleven quiet herons';

test('when a password is hashed twice, then the hashes differ and match that password only', async () => {
  const [one, two] = await Promise.all([hashPassword(password), hashPassword(password)]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(one).not.toBe(two);
  expect(await checkPassword(password, one)).toEqual({ matches: true, is_stale: false });
  expect(await checkPassword('eleven quiet heron', one)).toMatchObject({ matches: false });
  expect(await checkPassword(password, undefined)).toMatchObject({ matches: false });
});

test('when the same letters are composed or not, then they are the same password', async () => {
  expect(
    await checkPassword('cafe\u0301 au lait noir', await hashPassword('caf\u00e9 au lait noir')),
  ).toMatchObject({
    matches: true,
  });
});

test('when a hash is of other parameters, then it is understood, and said to be stale', async () => {
  const weak = await hashPassword(password, { memory: 8192, passes: 1, parallelism: 1 });
  expect(await checkPassword(password, weak)).toEqual({ matches: true, is_stale: true });
  await expect(checkPassword(password, 'plain text')).rejects.toThrow('no argon2id hash');
});

test('when a crowd has passwords hashed, then the event loop is free, and some are refused', async () => {
  const crowd = Array.from({ length: 60 });
  let results: PromiseSettledResult<unknown>[] = [];
  const held_ms = await longestHold(async () => {
    results = await Promise.allSettled(crowd.map(async () => checkPassword(password, undefined)));
  });
  const refused = results.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(10);
  expect(refused[0]).toMatchObject({ reason: { kind: 'unavailable' } });
  expect(held_ms).toBeLessThan(20);
  expect(await checkPassword(password, undefined)).toMatchObject({ matches: false });
});
