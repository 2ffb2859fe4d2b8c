import { readFileSync, realpathSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { dirname, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadLean } from './lean-tracing.ts';
import { nearest } from './nearest.ts';
import { loadTypeScript, realPath } from './typescript-loader.ts';

/**
 * How user code is loaded: TypeScript by tsx with the nearest of the project's own tsconfigs, packages from the graph's own file, and
 * nothing from outside the revision's folder.
 */

/** A specifier of ours: resolve `package` as the file `from` would. */
const AS_USER = 'roadstead-as-user:';

let last: string | undefined;

/** The address of the module that was resolved last: where loading failed, that is the one that could not be read. */
export const lastResolved = (): string | undefined => last;

export interface Fence {
  /** Modules may come from here. */
  readonly root: string;
  /** The revision's folder; the project's tsconfig lies here or deeper. */
  readonly folder: string;
}

export interface ModulesToLoad {
  /** The file of the configuration. */
  readonly config: string;
  /** Modules that it names. */
  readonly files: readonly string[];
  /** Whether they are loaded by tsx, where they need it. */
  readonly by_tsx: boolean;
}

/** Call once, before the first import of user code. Plain JavaScript does without tsx, which costs memory and time to start. */
export async function prepareModules(fence: Fence, { config, files, by_tsx }: ModulesToLoad): Promise<void> {
  const tsconfigs = tsconfigsOf(config, { files, folder: fence.folder });
  if (by_tsx && (tsconfigs.some(Boolean) || files.some((file) => /\.[mc]?tsx?$/.test(file)))) {
    registerHooks(await loadTypeScript(tsconfigs, { root: fence.folder }));
    registerHooks({ load: loadPackagesAsTheyAre });
  }
  const own = [dirname(import.meta.dirname), packageFolder(import.meta.resolve('tsx'))].map(
    (folder) => realpathSync(folder) + sep,
  );
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith(AS_USER)) return resolveAsUser(specifier, context, next);
      const resolved = next(specifier, context);
      last = resolved.url;
      if (!isWithin(own, context.parentURL)) refuseOutside(specifier, resolved.url, context.parentURL, fence);
      return resolved;
    },
    load: loadLean,
  });
}

/** The nearest to the configuration, undefined where there is none, and then those that are nearest to the files. */
function tsconfigsOf(
  config: string,
  { files, folder }: { readonly files: readonly string[]; readonly folder: string },
): (string | undefined)[] {
  const up_to = realPath(folder);
  const nearestTo = (file: string) => nearest('tsconfig.json', { from: dirname(realPath(file)), up_to });
  return [...new Set([nearestTo(config), ...files.flatMap((file) => nearestTo(file) ?? [])])];
}

type Load = Parameters<NonNullable<Parameters<typeof registerHooks>[0]['load']>>;

/** ES modules of packages need no compiler, and passing them all through tsx takes most of the time of a start. */
function loadPackagesAsTheyAre(url: string, context: Load[1], next: Load[2]) {
  if (context.format !== 'module' || !PACKAGED.test(url)) return next(url, context);
  return { format: 'module' as const, source: readFileSync(fileURLToPath(url)), shortCircuit: true };
}

const PACKAGED = /^file:.*\/node_modules\/.*\.m?js$/;

/** Imports a package as the user's file would: their copy, in the form, CommonJS or ESM, that is loaded already. */
export async function importAsUser<T>(specifier: string, from: string): Promise<T> {
  const require = createRequire(from);
  const commonJs = resolveIn(require, specifier);
  if (commonJs !== undefined && commonJs in require.cache) return require(commonJs) as T;
  return (await import(
    `${AS_USER}${encodeURIComponent(JSON.stringify([specifier, pathToFileURL(from).href]))}`
  )) as T;
}

function resolveIn(require: NodeJS.Require, specifier: string): string | undefined {
  try {
    return require.resolve(specifier);
  } catch {
    return undefined;
  }
}

type Resolve = Parameters<NonNullable<Parameters<typeof registerHooks>[0]['resolve']>>;

function resolveAsUser(specifier: string, context: Resolve[1], next: Resolve[2]) {
  const [wanted, parentURL] = JSON.parse(decodeURIComponent(specifier.slice(AS_USER.length))) as [
    string,
    string,
  ];
  return next(wanted, { ...context, parentURL });
}

function refuseOutside(specifier: string, url: string, parentURL: string | undefined, fence: Fence): void {
  if (!url.startsWith('file:') || isWithin([fence.root + sep], url)) return;
  const from = parentURL?.startsWith('file:')
    ? fileURLToPath(parentURL).replace(fence.folder + sep, '')
    : 'the graph';
  const refusal = new Error(
    `"${specifier}", imported by ${from}, leaves the deployed folder; an agent may import only what is deployed with it.`,
  );
  // For those who try whether an optional package is there: it isn't.
  throw Object.assign(refusal, { code: 'MODULE_NOT_FOUND' });
}

function isWithin(folders: readonly string[], url: string | undefined): boolean {
  if (url?.startsWith('file:') !== true) return false;
  const path = realpathSync(fileURLToPath(url));
  return folders.some((folder) => path.startsWith(folder));
}

function packageFolder(url: string): string {
  const file = realpathSync(fileURLToPath(url));
  const manifest = nearest('package.json', { from: dirname(file), up_to: sep });
  if (manifest === undefined) throw new Error(`No package holds ${file}.`);
  return dirname(manifest);
}
