import { existsSync, realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * How user code is loaded: TypeScript by tsx with the project's own tsconfig, packages from the graph's own file, and
 * nothing from outside the revision's folder.
 */

/** A specifier of ours: resolve `package` as the file `from` would. */
const AS_USER = 'roadstead-as-user:';

export interface Fence {
  /** Modules may come from here. */
  readonly root: string;
}

/** Call once, before the first import of user code. Plain JavaScript does without tsx, which costs memory and time to start. */
export async function prepareModules(
  fence: Fence,
  config_folder: string,
  files: readonly string[],
): Promise<void> {
  const tsconfig = nearest('tsconfig.json', config_folder, fence.root);
  if (tsconfig !== undefined || files.some((file) => /\.[mc]?tsx?$/.test(file)))
    await loadTypeScript(tsconfig);
  const allowed = [fence.root, packageFolder(import.meta.resolve('tsx')), packageFolder(import.meta.url)].map(
    (folder) => realpathSync(folder) + sep,
  );
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith(AS_USER)) return resolveAsUser(specifier, context, next);
      const resolved = next(specifier, context);
      refuseOutside(specifier, resolved.url, context.parentURL, allowed, fence);
      return resolved;
    },
  });
}

async function loadTypeScript(tsconfig: string | undefined): Promise<void> {
  if (tsconfig !== undefined) process.env['TSX_TSCONFIG_PATH'] = tsconfig;
  const [commonJs, modules] = await Promise.all([import('tsx/cjs/api'), import('tsx/esm/api')]);
  commonJs.register();
  modules.register();
}

/** Imports a package as the user's file would: their copy, in the form (ESM) that LangGraph itself uses. */
export async function importAsUser<T>(specifier: string, from: string): Promise<T> {
  return (await import(
    `${AS_USER}${encodeURIComponent(JSON.stringify([specifier, pathToFileURL(from).href]))}`
  )) as T;
}

type Resolve = Parameters<NonNullable<Parameters<typeof registerHooks>[0]['resolve']>>;

function resolveAsUser(specifier: string, context: Resolve[1], next: Resolve[2]) {
  const [wanted, parentURL] = JSON.parse(decodeURIComponent(specifier.slice(AS_USER.length))) as [
    string,
    string,
  ];
  return next(wanted, { ...context, parentURL });
}

function refuseOutside(
  specifier: string,
  url: string,
  parentURL: string | undefined,
  allowed: readonly string[],
  fence: Fence,
): void {
  if (!url.startsWith('file:')) return;
  const path = realpathSync(fileURLToPath(url));
  if (allowed.some((folder) => path.startsWith(folder))) return;
  const from = parentURL?.startsWith('file:')
    ? fileURLToPath(parentURL).replace(fence.root + sep, '')
    : 'the graph';
  throw new Error(
    `"${specifier}", imported by ${from}, leaves the deployed folder; an agent may import only what is deployed with it.`,
  );
}

/** The file of this name in the folder or the nearest one above it, up to the root. */
export function nearest(name: string, folder: string, root: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, name))) return join(at, name);
    if (at === root || at === dirname(at)) return undefined;
  }
}

function packageFolder(url: string): string {
  const file = realpathSync(fileURLToPath(url));
  const manifest = nearest('package.json', dirname(file), sep);
  if (manifest === undefined) throw new Error(`No package holds ${file}.`);
  return dirname(manifest);
}
