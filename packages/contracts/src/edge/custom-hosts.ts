import { z } from 'zod';

/** The path on the router's socket at which the edge reads the custom hosts of deployments. */
export const CUSTOM_HOSTS_PATH = '/custom-hosts';

/** The names of the deployments by host. */
export const CustomHosts = z.object({ hosts: z.record(z.string(), z.string()) });
export type CustomHosts = z.output<typeof CustomHosts>;

/** Matches the hosts of these addresses of ours; `{slug}` stands for the name of any deployment. */
export function ownHosts(addresses: readonly string[]): (host: string) => boolean {
  const patterns = addresses.map((address) => {
    const { hostname } = new URL(address.replaceAll('{slug}', SLUG));
    return new RegExp(`^${hostname.replaceAll('.', '\\.').replaceAll(SLUG, '[^.]+')}$`);
  });
  return (host) => patterns.some((pattern) => pattern.test(host));
}

const SLUG = 'slug-of-any-deployment';

/**
 * The host that a `Host` header names, without its port, if a deployment may answer there: never at an IP address, at
 * this machine's own names (`localhost`, or a single label), or at hosts of ours.
 */
export function customHost(header: string, isOwn: (host: string) => boolean): string | undefined {
  const host = header.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  const labels = host.split('.');
  const last = labels.at(-1) ?? '';
  const isName =
    labels.length > 1 && labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(label));
  // The URL Standard takes a name with a number at its end for an IP address.
  const isAddress = /^(?:\d+|0x[\da-f]*)$/.test(last);
  return isName && !isAddress && last !== 'localhost' && !isOwn(host) ? host : undefined;
}

/**
 * The host at which a deployment with this second address answers; undefined where it may answer at none. An address with a path belongs
 * to a proxy in front of us, which knows where it passes requests on to.
 */
export function hostOfCustomUrl(custom_url: string, isOwn: (host: string) => boolean): string | undefined {
  if (!URL.canParse(custom_url)) return undefined;
  const { host, pathname } = new URL(custom_url);
  return pathname === '/' ? customHost(host, isOwn) : undefined;
}
