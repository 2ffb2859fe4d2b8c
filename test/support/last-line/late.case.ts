import { test } from 'vitest';

test('passes, and leaves a promise that is rejected', () => {
  void Promise.reject(new Error('Nobody waits for this.'));
});
