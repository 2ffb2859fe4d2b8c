import { expect, test } from 'vitest';
import { allowancesOf } from './sign-in-rules.ts';

const bucketsOf = (address: string) =>
  allowancesOf({ address, name: undefined, device_id: undefined }).map(({ bucket }) => bucket);

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0DB8::9', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('when an address is %s, then it is counted as %s', (address, counted) => {
  expect(bucketsOf(address)).toEqual([`sign-in:address:${counted}`]);
});

test('when a name is tried, then it is counted from anywhere but a browser that is known for it', () => {
  const there = { address: '192.0.2.1', name: 'anna', device_id: undefined };
  const [address, name] = allowancesOf(there);
  expect(allowancesOf({ ...there, address: '192.0.2.2' })[1]).toEqual(name);
  expect(address?.limit).toBeGreaterThan(name?.limit ?? 0);
  expect(allowancesOf({ ...there, device_id: 'mine' }).map(({ bucket }) => bucket)).toEqual([
    'sign-in:device:mine',
  ]);
});
