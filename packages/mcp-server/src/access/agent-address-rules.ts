import { withOneLoopback } from '@roadstead/contracts';

/** Which agent an address is of, where all agents’ addresses are made from one pattern. */

interface Slug {
  readonly text: string;
  /** The rest of an address that begins with this agent’s; undefined for one that doesn’t. */
  readonly pathOf: (url: string) => string | undefined;
}

const SLUG = '[a-z0-9](?:[a-z0-9-]{0,80}[a-z0-9])?';
const MARK = '{slug}';

/** @param pattern such as `https://agents.example/{slug}` or `https://{slug}.example`. */
export function slugOf(url: string, pattern: string): Slug | undefined {
  const parts = comparable(pattern).split(MARK);
  if (parts.length !== 2) return undefined;
  const [before = '', after = ''] = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const whole = new RegExp(`^${before}(${SLUG})${after}$`);
  const text = whole.exec(comparable(url))?.[1];
  if (text === undefined) return undefined;
  const own = comparable(pattern).replace(MARK, () => text);
  return {
    text,
    pathOf: (address) => {
      const compared = comparable(address);
      const path = compared.startsWith(`${own}/`) ? compared.slice(own.length) : '';
      // There are several ways to write `..`, so that only a path that stays as it is counts.
      return URL.parse(path, 'http://agent')?.pathname === path ? path : undefined;
    },
  };
}

/** Names of this machine are one, the last slash is none, and the case of a host, as its usual port, says nothing. */
const comparable = (url: string) =>
  withOneLoopback(
    url
      .trim()
      .replace(/\/+$/, '')
      .replace(/^https?:\/\/[^/?#]*/i, (origin) =>
        origin.toLowerCase().replace(/^(https:.*):443$|^(http:.*):80$/, '$1$2'),
      ),
  );
