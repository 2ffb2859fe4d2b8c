import { beforeAll, test } from 'vitest';

beforeAll(() => {
  throw new Error('What the tests need is not there.');
});
test('waits for what is not there', () => undefined);
test('waits for it, too', () => undefined);
