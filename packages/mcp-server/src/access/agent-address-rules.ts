import { withOneLoopback } from '@roadstead/contracts';

/** Finds the agent that an address belongs to, where all agents’ addresses follow one pattern. */

interface Slug {
  readonly text: string;
  /** The rest of an address below this agent’s; undefined for any other address. */
  readonly pathOf: (url: string) => string | undefined;
}

const SLUG = '[a-z0-9](?:[a-z0-9-]{0,80}[a-z0-9])?';
const MARK = '{slug}';

/** @param pattern for example `https://agents.example/{slug}` or `https://{slug}.example`. */
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
      // There are several ways to write `..`, so only a path that normalizes to itself counts.
      return URL.parse(path, 'http://agent')?.pathname === path ? path : undefined;
    },
  };
}

/** Loopback names are equal; a trailing slash, the case of a host and its default port make no difference. */
const comparable = (url: string) =>
  withOneLoopback(
    url
      .trim()
      .replace(/\/+$/, '')
      .replace(/^https?:\/\/[^/?#]*/i, (origin) =>
        origin.toLowerCase().replace(/^(https:.*):443$|^(http:.*):80$/, '$1$2'),
      ),
  );
