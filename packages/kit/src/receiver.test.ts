import { expect, test } from 'vitest';
import { receiverOf } from './receiver.ts';

test.each([
  ['https://slow.test/hook', 'slow.test'],
  ['https://Slow.test', 'slow.test'],
  ['HTTPS://slow.test:443/?a', 'slow.test'],
  ['https://user@slow.test', 'slow.test'],
  ['https://slow.test:8443/', 'slow.test:8443'],
  ['http://0x7f.1:80/', '127.0.0.1'],
  ['/own/hook', ''],
])('when the address is %s, then the receiver is "%s"', (url, receiver) => {
  expect(receiverOf(url)).toBe(receiver);
});
