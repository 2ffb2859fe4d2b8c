import { BlockList, isIP } from 'node:net';
import { z } from 'zod';
import { setting } from '@roadstead/kit';

/** Hosts that the operator lets users name although they are not on the public internet. */
export interface AllowedHosts {
  /** Whether all of a host's addresses may be called. */
  hasHost(host: string, port: number): boolean;
  hasAddress(address: string, port: number): boolean;
}

export const allowedHostsSetting = setting({
  env: 'ROADSTEAD_ALLOWED_HOSTS',
  doc: 'Hosts of private networks that users may name (webhooks, git remotes …), separated by commas: `git.internal`, `10.1.0.0/16`, `[::1]:8080`.',
  schema: z
    .string()
    .default('')
    .transform((text, context) => {
      const entries = text.split(',').map((one) => one.trim());
      const wrong = entries.find((one) => one !== '' && parseEntry(one) === undefined);
      if (wrong === undefined) return entries.filter((one) => one !== '');
      context.addIssue({ code: 'custom', message: `"${wrong}" is no host, address or range` });
      return z.NEVER;
    }),
});

interface Entry {
  readonly host: string;
  readonly range?: BlockList;
  readonly port: number | undefined;
}

/**
 * @param written the entries of the setting
 * @throws RangeError
 */
export function parseAllowedHosts(written: readonly string[]): AllowedHosts {
  const entries = written.map((text) => {
    const entry = parseEntry(text);
    if (entry === undefined) throw new RangeError(`"${text}" is no host, address or range.`);
    return entry;
  });
  const some = (port: number, fits: (entry: Entry) => boolean) =>
    entries.some((entry) => (entry.port === undefined || entry.port === port) && fits(entry));
  return {
    hasHost: (host, port) => some(port, (entry) => entry.range === undefined && entry.host === plain(host)),
    hasAddress: (address, port) =>
      some(port, ({ range }) => range?.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') === true),
  };
}

/** `name`, `address`, `address/prefix`, each with an optional `:port`; an IPv6 address with a port is in brackets. */
function parseEntry(text: string): Entry | undefined {
  const [, bracketed, bare, port] =
    /^(?:\[([^\]]+)\]|([^[\]:]+|[^[\]]*::?[^[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const written = bracketed ?? bare ?? '';
  const [address = '', prefix] = written.split('/');
  const base = { host: plain(written), port: port === undefined ? undefined : Number(port) };
  const family = isIP(address);
  if (family === 0) return /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?\.?$/i.test(written) ? base : undefined;
  const bits = family === 6 ? 128 : 32;
  const length = prefix === undefined ? bits : Number(prefix);
  if (!/^\d{1,3}$/.test(prefix ?? '0') || length > bits) return undefined;
  const range = new BlockList();
  range.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4');
  return { ...base, range };
}

const plain = (host: string) => host.toLowerCase().replace(/\.$/, '');
