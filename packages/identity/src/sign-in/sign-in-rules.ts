/** How often a sign-in may fail before further ones have to wait. */

const WINDOW_S = 900;
const PER_ADDRESS = 30;
const PER_NAME = 10;

/** How often something may be tried within a time, counted over all processes. */
export interface Allowance {
  /** The name of what is counted, such as `sign-in:address:192.0.2.1`. */
  readonly bucket: string;
  readonly limit: number;
  readonly window_s: number;
}

export interface Attempt {
  /** The address that it comes from. */
  readonly address: string;
  /** The name; undefined for an API key. */
  readonly name: string | undefined;
  /** The id of a browser in which the people of this name have signed in before. */
  readonly device_id?: string | undefined;
}

/**
 * A browser that vouches for somebody is counted alone: guesses from elsewhere, however many, never lock out people
 * who signed in there before. Each wait ends by itself, and no attempt prolongs it.
 */
export function allowancesOf({ address, name, device_id }: Attempt): Allowance[] {
  const allowance = (bucket: string, limit: number) => ({
    bucket: `sign-in:${bucket}`,
    limit,
    window_s: WINDOW_S,
  });
  if (device_id !== undefined) return [allowance(`device:${device_id}`, PER_NAME)];
  return [
    allowance(`address:${network(address)}`, PER_ADDRESS),
    ...(name === undefined ? [] : [allowance(`name:${name}`, PER_NAME)]),
  ];
}

/** The network that counts as one caller: the holder of an IPv6 address has 2^64 of them. */
export function network(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.toLowerCase().split('::');
  const [front, back] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail === undefined ? 0 : 8 - (front?.length ?? 0) - (back?.length ?? 0);
  const groups = [
    ...(front ?? []),
    ...Array.from({ length: Math.max(zeros, 0) }, () => '0'),
    ...(back ?? []),
  ];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
