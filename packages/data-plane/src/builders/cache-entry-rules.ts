import { type Manager, isClassicYarn } from './package-manager-rules.ts';

/** Where package managers keep what they have fetched. Pure. */

interface CacheEntry {
  /** Its folder, below that of the workspace. */
  readonly name: string;
  /** The variables that name it to the manager. */
  readonly variables: readonly string[];
}

/**
 * What a manager finds in its cache is either compared with the lock file, and then a workspace shares it; or it is
 * believed, and then no deployment gets what the build of another one wrote there.
 */
const caches: Readonly<
  Record<Manager['name'] | 'yarn 1', { readonly shared: boolean; readonly variables: readonly string[] }>
> = {
  npm: { shared: true, variables: ['npm_config_cache'] },
  yarn: { shared: true, variables: ['YARN_GLOBAL_FOLDER'] },
  'yarn 1': { shared: false, variables: ['YARN_CACHE_FOLDER'] },
  pnpm: { shared: false, variables: ['npm_config_store_dir', 'pnpm_config_store_dir'] },
  bun: { shared: false, variables: ['BUN_INSTALL_CACHE_DIR'] },
};

/** The caches of a build: npm's, which is always there, and those of the managers that it needs. */
export function cacheEntries(
  managers: readonly Manager[],
  { deployment_id }: { readonly deployment_id: string },
): CacheEntry[] {
  const names = new Set(
    managers.map(({ name, version }) => (isClassicYarn(name, version) ? 'yarn 1' : name)),
  );
  return [...names.add('npm')].map((name) => {
    const { shared, variables } = caches[name];
    const folder = name.replace(' ', '-');
    return { name: shared ? folder : ownEntry(folder, deployment_id), variables };
  });
}

const ownEntry = (folder: string, deployment_id: string) => `${folder}.${deployment_id}`;

/** Whether an entry is that of one deployment. */
export const isOwnedBy = (name: string, deployment_id: string): boolean => name.endsWith(`.${deployment_id}`);
