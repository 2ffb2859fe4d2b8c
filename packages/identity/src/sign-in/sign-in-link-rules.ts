import { CONSOLE_PATH } from '@roadstead/contracts/identity';

/** When an address may sign a browser in, and where it leads. Pure. */

/**
 * Whether a person opened the address themselves: typed it, or clicked it in a program. A page elsewhere that sends
 * browsers here would sign people in as somebody else, and a program that looks at links would use them up.
 */
export function isOpenedByHand(headers: Headers): boolean {
  const said = (name: string) => headers.get(name);
  return said('sec-fetch-site') === 'none' && said('sec-purpose') === null && said('purpose') === null;
}

/** The page of the console to go to; the first one where the path leads anywhere else. */
export function consolePathOf(to: string | undefined, public_url: string): string {
  const url = to?.startsWith('/') === true ? URL.parse(to, public_url) : null;
  if (url === null || url.origin !== new URL(public_url).origin) return CONSOLE_PATH;
  const { pathname, search, hash } = url;
  const is_below = pathname === CONSOLE_PATH || pathname.startsWith(`${CONSOLE_PATH}/`);
  return is_below ? pathname + search + hash : CONSOLE_PATH;
}
