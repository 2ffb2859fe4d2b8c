import { isClassicYarn, type Manager } from './package-manager-rules.ts';

/** Decides where package managers keep what they have fetched. Pure. */

interface CacheEntry {
  /** The name of its folder, below that of the workspace. */
  readonly name: string;
  /** The variables that pass its path to the manager. */
  readonly variables: readonly string[];
}

/** A build's cache is read by no other deployment's builds: managers trust much of what they find there. */
const caches: Readonly<Record<Manager['name'] | 'yarn 1', readonly string[]>> = {
  npm: ['npm_config_cache'],
  yarn: ['YARN_GLOBAL_FOLDER'],
  'yarn 1': ['YARN_CACHE_FOLDER'],
  pnpm: ['npm_config_store_dir', 'pnpm_config_store_dir'],
  bun: ['BUN_INSTALL_CACHE_DIR'],
};

/** The caches of a build: npm's, which is always present, and those of the managers that it needs. */
export function cacheEntries(
  managers: readonly Manager[],
  { deployment_id }: { readonly deployment_id: string },
): CacheEntry[] {
  const names = new Set(
    managers.map(({ name, version }) => (isClassicYarn(name, version) ? 'yarn 1' : name)),
  );
  return [...names.add('npm')].map((name) => ({
    name: name === 'npm' ? npmEntry(deployment_id) : ownEntry(name.replace(' ', '-'), deployment_id),
    variables: caches[name],
  }));
}

/** The entry of a workspace with packages proven by lock files: builds read it, and only we write to it. */
export const PROVEN = 'packages';

export const npmEntry = (deployment_id: string): string => ownEntry('npm', deployment_id);

export const uvEntry = (deployment_id: string): string => ownEntry('uv', deployment_id);

const ownEntry = (folder: string, deployment_id: string) => `${folder}.${deployment_id}`;

/** Whether an entry belongs to this one deployment. */
export const isOwnedBy = (name: string, deployment_id: string): boolean => name.endsWith(`.${deployment_id}`);

/** The hash of a package's archive in a lock file of npm. */
const INTEGRITY = /sha512-([A-Za-z0-9+/]{86}==)/g;
/** The length of such a text. */
export const INTEGRITY_CHARS = 95;

/** The hashes, in hexadecimal digits, in the text of a lock file; older kinds of hashes prove nothing. */
export function hashesIn(text: string): string[] {
  return [...text.matchAll(INTEGRITY)].map(([, hash = '']) => Buffer.from(hash, 'base64').toString('hex'));
}

/** The path of an archive in npm's cache, a folder at a time. */
export function placeInNpmCache(hex: string): { readonly folders: readonly string[]; readonly file: string } {
  const folders = ['_cacache', 'content-v2', 'sha512', hex.slice(0, 2), hex.slice(2, 4)];
  return { folders, file: [...folders, hex.slice(4)].join('/') };
}
