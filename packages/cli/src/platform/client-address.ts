import { BlockList, isIP } from 'node:net';
import { z } from 'zod';
import { setting } from '@roadstead/kit';

/** A setting of `up`, and of an edge that is started alone. */
export const trustedProxiesSetting = setting({
  env: 'ROADSTEAD_TRUSTED_PROXIES',
  doc: 'Addresses or networks (`10.0.0.0/8`) of the proxies in front, separated by commas: what they say in X-Forwarded-For of where a caller comes from is believed.',
  schema: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((one) => one.trim() || []))
    .refine(
      (networks) => networks.every(isNetwork),
      'each must be an address or a network such as 10.0.0.0/8',
    )
    .transform(networksOf),
});

/** The source of a request: the last address on its way that is not one of our proxies. */
export function clientAddress(
  {
    connected,
    forwarded,
  }: { readonly connected: string | undefined; readonly forwarded: string | null | undefined },
  trusted: BlockList,
): string | undefined {
  const way = (forwarded ?? '').split(',').map((one) => one.trim());
  let address = connected;
  while (address !== undefined && isOf(trusted, address)) {
    const before = way.pop();
    if (before === undefined || isIP(before) === 0) break;
    address = before;
  }
  return address;
}

const isOf = (networks: BlockList, address: string) =>
  isIP(address) !== 0 && networks.check(address, familyOf(address));

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const most = isIP(address) === 6 ? 128 : 32;
  return (
    isIP(address) !== 0 &&
    more.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
  );
}

function networksOf(texts: readonly string[]): BlockList {
  const networks = new BlockList();
  for (const text of texts) {
    const [address = '', bits] = text.split('/');
    if (bits === undefined) networks.addAddress(address, familyOf(address));
    else networks.addSubnet(address, Number(bits), familyOf(address));
  }
  return networks;
}
