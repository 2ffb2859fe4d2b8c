import { describe, expect, test } from 'vitest';
import { clientAddress, trustedProxiesSetting } from './client-address.ts';

const trusted = (text: string) => trustedProxiesSetting.schema.parse(text);

describe('where a request comes from', () => {
  test.each<[string, string | undefined, string | null, string | undefined]>([
    ['', '192.0.2.1', '198.51.100.1', '192.0.2.1'],
    ['10.0.0.0/8', '192.0.2.1', '198.51.100.1', '192.0.2.1'],
    ['10.0.0.0/8', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.0/8', '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    // Anyone may have written the part before the first address that is not ours.
    ['10.0.0.0/8', '10.1.2.3', '203.0.113.9, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['127.0.0.1, ::1', '::1', '2001:db8::1', '2001:db8::1'],
    ['10.0.0.0/8', '10.1.2.3', null, '10.1.2.3'],
    ['10.0.0.0/8', '10.1.2.3', 'unknown', '10.1.2.3'],
    ['10.0.0.0/8', '10.1.2.3', '198.51.100.1, not an address', '10.1.2.3'],
    ['10.0.0.0/8', '10.1.2.3', '10.4.4.4', '10.4.4.4'],
    ['10.0.0.0/8', undefined, '198.51.100.1', undefined],
  ])(
    'when the proxies are "%s", the peer is %s and it names %s, then the client is %s',
    (proxies, connected, forwarded, address) => {
      expect(clientAddress({ connected, forwarded }, trusted(proxies))).toBe(address);
    },
  );

  test.each(['proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '10.0.0'])(
    'when a proxy is given as %s, then it is refused',
    (text) => expect(trustedProxiesSetting.schema.safeParse(text).success).toBe(false),
  );
});
