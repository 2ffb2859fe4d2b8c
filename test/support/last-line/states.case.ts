import { beforeAll, describe, expect, test } from 'vitest';

test('passes', () => undefined);
test('fails', () => expect(1).toBe(2));
test.skip('is skipped', () => undefined);
test.todo('is to be written');
test('skips itself', ({ skip }) => skip());

describe('what needs something that is not there', () => {
  beforeAll(() => {
    throw new Error('What the tests need is not there.');
  });
  test('does not come to run', () => undefined);
  test.skip('is skipped all the same', () => undefined);
});

describe.skip('what is skipped as a whole', () => {
  test('is skipped', () => undefined);
});
