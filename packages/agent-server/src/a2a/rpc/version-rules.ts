import type { A2aVersion } from '@roadstead/contracts/agent-server';
import { A2aFault } from './a2a-fault.ts';

/** Which protocol version a call uses. */

export const versions: readonly A2aVersion[] = ['0.3', '1.0'];

export const VERSION_NAME = 'A2A-Version';

/** The version that was named, without its patch number; undefined when none was named or it is unknown. */
export function knownVersion(named: string | undefined): A2aVersion | undefined {
  const [, major, minor = '0'] = /^\s*(\d+)(?:\.(\d+))?(?:\.\d[\w.+-]*)?\s*$/.exec(named ?? '') ?? [];
  return versions.find((version) => version === `${major}.${minor}`);
}

/** The version that the caller names in a header or, without one, in a query parameter. */
export function namedVersion(request: Request): string | undefined {
  const header = request.headers.get(VERSION_NAME);
  if (header !== null && header.trim() !== '') return header;
  const query = request.url.indexOf('?');
  if (query < 0) return undefined;
  return new URLSearchParams(request.url.slice(query)).get(VERSION_NAME) ?? undefined;
}

/** The family of a method: `message/send` is 0.3, `SendMessage` is 1.0. */
export function familyOf(method: string): A2aVersion {
  return /^[A-Z]/.test(method) ? '1.0' : '0.3';
}

/** @throws A2aFault `version_not_supported` */
export function versionOf(named: string | undefined, method: string): A2aVersion {
  if (named === undefined || named.trim() === '') return familyOf(method);
  const version = knownVersion(named);
  if (version !== undefined) return version;
  throw new A2aFault(
    'version_not_supported',
    `This version of A2A is not supported; these are: ${versions.join(', ')}.`,
  );
}
