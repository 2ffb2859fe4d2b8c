import { afterAll, test } from 'vitest';

afterAll(() => {
  throw new Error('Something stays open.');
});
test('passes', () => undefined);
