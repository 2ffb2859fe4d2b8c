import { matchesGlob, relative } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { normalPath, staysInside } from '@roadstead/contracts/langgraph-json';
import { isInstallable, isLockFile, jsonOf, type PackageFolder } from './package-manager-rules.ts';

/** Decides where packages are installed in a project that may be a monorepo. Pure. */

/** The folders from one in a project up to the project's root, in this order. */
export type Chain = readonly PackageFolder[];

/**
 * The folder to install in, so that code at the beginning of the chain finds its packages: the nearest one that names
 * any, or the workspace that has this folder as a member; undefined where there is nothing to install.
 */
export function installPlace(chain: Chain): PackageFolder | undefined {
  const nearest = chain.find(namesPackages) ?? chain.find(({ files }) => files.some(isInstallable));
  if (nearest === undefined) return undefined;
  const above = chain.slice(chain.indexOf(nearest) + 1);
  return above.find((place) => isMember(place, nearest.folder)) ?? nearest;
}

const Packages = z.looseObject({
  dependencies: z.record(z.string(), z.unknown()).optional(),
  devDependencies: z.record(z.string(), z.unknown()).optional(),
  optionalDependencies: z.record(z.string(), z.unknown()).optional(),
  peerDependencies: z.record(z.string(), z.unknown()).optional(),
  workspaces: z.unknown().optional(),
});

/** A `package.json` may state nothing but the module system of its folder. */
function namesPackages({ files, texts }: PackageFolder): boolean {
  if (files.some(isLockFile)) return true;
  if (!files.includes('package.json')) return false;
  const { data } = Packages.safeParse(jsonOf(texts['package.json']));
  // A text that can't be parsed is left to the package manager, which reports it.
  return (
    data === undefined || Object.keys(Packages.shape).some((key) => Object.keys(data[key] ?? {}).length > 0)
  );
}

const LOCAL = /^(?:file|link):(?:\/\/)?(\.{0,2}\/.*|\.\.?)$/;

/**
 * The folders that the packages of a place link to by `file:` or `link:`: the package manager does not install what
 * these need in turn. Folders outside the project are left to the package manager.
 */
export function linkedFolders({ folder, texts }: PackageFolder): string[] {
  const { data = {} } = Packages.safeParse(jsonOf(texts['package.json']));
  const named = Object.values(data).flatMap((group) => Object.values(group ?? {}));
  return named
    .flatMap((version) => LOCAL.exec(String(version))?.[1] ?? [])
    .filter((path) => staysInside(folder, path))
    .map((path) => normalPath(folder, path));
}

const Globs = z.array(z.string());
const Workspaces = z.object({ workspaces: z.union([Globs, z.object({ packages: Globs })]) });
const PnpmWorkspace = z.object({ packages: Globs });

/** Whether a workspace, of any manager, has a folder below it as its member. */
function isMember({ folder, texts }: PackageFolder, below: string): boolean {
  const path = relative(folder, below);
  const { data: npm } = Workspaces.safeParse(jsonOf(texts['package.json']));
  const { data: pnpm } = PnpmWorkspace.safeParse(yamlOf(texts['pnpm-workspace.yaml']));
  const named =
    npm === undefined || Array.isArray(npm.workspaces) ? npm?.workspaces : npm.workspaces.packages;
  const globs = pnpm?.packages ?? (named as readonly string[] | undefined) ?? [];
  return globs.reduce((is, glob) => {
    const without = glob.startsWith('!');
    const pattern = glob.replace(/^!/, '').replace(/^\.\//, '').replace(/\/+$/, '');
    return matchesGlob(path, pattern) ? !without : is;
  }, false);
}

/** Undefined for text that is no YAML: the package manager will report that itself. */
function yamlOf(text: string | undefined): unknown {
  try {
    return parse(text ?? '', { maxAliasCount: 0 }) as unknown;
  } catch {
    return undefined;
  }
}
