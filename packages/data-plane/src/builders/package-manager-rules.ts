import { z } from 'zod';

type ManagerName = 'npm' | 'yarn' | 'pnpm' | 'bun';

/** A package manager that a build needs, in one version from the package registry. */
export interface Manager {
  readonly name: ManagerName;
  readonly version: string;
}

/** A folder that may have packages to install. */
export interface PackageFolder {
  /** Relative to the project's root. */
  readonly folder: string;
  readonly files: readonly string[];
  /** The text of `package.json`, and the beginnings of lock files, where they exist. */
  readonly texts: Readonly<Record<string, string>>;
}

export type Choice =
  | {
      readonly kind: 'chosen';
      readonly name: ManagerName;
      /** Undefined for the npm of this machine. */
      readonly version: string | undefined;
      readonly install: string;
    }
  | { readonly kind: 'refused'; readonly message: string; readonly hint?: string };

/** The files by which a manager locks versions; where several exist, the first manager is meant. */
const lockFiles: readonly (readonly [ManagerName, readonly string[]])[] = [
  ['yarn', ['yarn.lock']],
  ['pnpm', ['pnpm-lock.yaml']],
  ['npm', ['package-lock.json', 'npm-shrinkwrap.json']],
  ['bun', ['bun.lock', 'bun.lockb']],
];

/** Files whose content names the manager, and its version. */
export const telling: readonly string[] = [
  'package.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
];

/** Whether a file shows that there is something to install beside it. */
export const isInstallable = (file: string): boolean => file === 'package.json' || isLockFile(file);

export const isLockFile = (file: string): boolean => lockFiles.some(([, files]) => files.includes(file));

/** The lock files of npm in a place, from the project's root. */
export function npmLocksIn({ folder, files }: PackageFolder): string[] {
  const names = lockFiles.flatMap(([of, locks]) => (of === 'npm' ? locks : []));
  return names
    .filter((name) => files.includes(name))
    .map((name) => (folder === '.' ? name : `${folder}/${name}`));
}

/** The command that installs exactly what a lock file lists, and the one that installs without a lock file. */
const installs: Readonly<Record<ManagerName | 'yarn 1', { readonly locked: string; readonly free: string }>> =
  {
    npm: {
      locked: 'npm ci --no-audit --no-fund',
      free: 'npm install --no-audit --no-fund --no-package-lock',
    },
    'yarn 1': { locked: 'yarn install --frozen-lockfile', free: 'yarn install --no-lockfile' },
    yarn: { locked: 'yarn install --immutable', free: 'yarn install --no-immutable' },
    pnpm: { locked: 'pnpm install --frozen-lockfile', free: 'pnpm install --no-frozen-lockfile' },
    bun: { locked: 'bun install --frozen-lockfile', free: 'bun install' },
  };

/**
 * The version where none is named: the newest one that writes lock files of this format, recognised by their
 * beginning.
 */
const versionsOfLocks: readonly (readonly [RegExp, Manager])[] = [
  [/^__metadata:\n {2}version: [1-4]$/m, { name: 'yarn', version: '2.4.2' }],
  [/^__metadata:\n {2}version: [5-7]$/m, { name: 'yarn', version: '3.8.7' }],
  [/^__metadata:\n {2}version: 8$/m, { name: 'yarn', version: '4.9.4' }],
  [/^__metadata:\n {2}version: 9$/m, { name: 'yarn', version: '4.14.1' }],
  [/^__metadata:$/m, { name: 'yarn', version: '4.18.1' }],
  [/^lockfileVersion: '?5/m, { name: 'pnpm', version: '7.33.7' }],
  [/^lockfileVersion: '?6/m, { name: 'pnpm', version: '8.15.9' }],
];
const otherwise: Readonly<Record<Exclude<ManagerName, 'npm'>, string>> = {
  yarn: '1.22.22',
  pnpm: '10.34.9',
  bun: '1.4.5',
};

/**
 * The package manager of a place: the one that `packageManager` or `devEngines` names, there or above it, else the
 * one of its lock file, else npm.
 */
export function chooseManager(place: PackageFolder, above: readonly PackageFolder[]): Choice {
  const [named] = [place, ...above].flatMap((one) => namedManager(one) ?? []);
  if (named?.kind === 'refused') return named;
  const lock = lockFiles.find(([, files]) => files.some((file) => place.files.includes(file)));
  const name = named?.name ?? lock?.[0] ?? 'npm';
  const version = named?.version ?? defaultVersion(name, place);
  const isLocked = lockFiles.some(
    ([of, files]) => of === name && files.some((file) => place.files.includes(file)),
  );
  const { locked, free } = installs[isClassicYarn(name, version) ? 'yarn 1' : name];
  return { kind: 'chosen', name, version, install: isLocked ? locked : free };
}

/** Managers that the user's commands name, beside those that are present already. */
export function managersInCommands(
  commands: readonly (string | null)[],
  given: readonly Manager[],
): Manager[] {
  const words = commands.flatMap((command) => [
    ...(command ?? '').matchAll(/(?<![^\s;&|(])(yarn|pnpm|bun)x?(?![^\s;&|)])/g),
  ]);
  const names = new Set(words.map(([, name]) => name as Exclude<ManagerName, 'npm'>));
  for (const { name } of given) names.delete(name as Exclude<ManagerName, 'npm'>);
  return [...names].map((name) => ({ name, version: otherwise[name] }));
}

/** The package that holds a manager. */
export function packageOf({ name, version }: Manager): string {
  return `${name === 'yarn' && !isClassicYarn(name, version) ? '@yarnpkg/cli-dist' : name}@${version}`;
}

/** Versions before 11 use the first of these names, later ones the second. */
const COPIES = {
  npm_config_package_import_method: 'clone-or-copy',
  pnpm_config_package_import_method: 'clone-or-copy',
};

/** The settings that a manager needs as variables. */
export function variablesOf({ name, version }: Manager): Readonly<Record<string, string>> {
  // The project names this version: pnpm need not look for it in the lock file, and fetch it again.
  // Its store must not share files with what is built: built files may be changed.
  if (name === 'pnpm') return { pnpm_config_pm_on_fail: 'ignore', ...COPIES };
  if (name !== 'yarn') return {};
  // Otherwise it sends a token only with scoped packages.
  if (isClassicYarn(name, version)) return { YARN_ALWAYS_AUTH: 'true' };
  // Node finds packages only in `node_modules`.
  return { YARN_NODE_LINKER: 'node-modules', YARN_ENABLE_TELEMETRY: '0' };
}

export const isClassicYarn = (name: ManagerName, version: string | undefined) =>
  name === 'yarn' && /^[01]\./.test(version ?? '');

function defaultVersion(name: ManagerName, { texts }: PackageFolder): string | undefined {
  if (name === 'npm') return undefined;
  const begins = Object.values(texts);
  const found = versionsOfLocks.find(
    ([format, manager]) => manager.name === name && begins.some((text) => format.test(text)),
  );
  return found?.[1].version ?? otherwise[name];
}

const Named = z.object({
  packageManager: z.string().optional().catch(undefined),
  devEngines: z
    .object({
      packageManager: z.union([
        z.object({ name: z.string(), version: z.string().optional() }),
        z.array(z.object({ name: z.string(), version: z.string().optional() })).transform(([first]) => first),
      ]),
    })
    .optional()
    .catch(undefined),
});

const EXACT = /^\d+\.\d+\.\d+(-[\w.-]+)?$/;
const isManager = (name: string): name is ManagerName => ['npm', 'yarn', 'pnpm', 'bun'].includes(name);

type NamedManager =
  | { readonly kind: 'named'; readonly name: ManagerName; readonly version: string | undefined }
  | Extract<Choice, { kind: 'refused' }>;

/** The manager that `package.json` names; a range under `devEngines` names a manager without a version. */
function namedManager({ texts }: PackageFolder): NamedManager | undefined {
  const { packageManager, devEngines } = Named.safeParse(jsonOf(texts['package.json'])).data ?? {};
  const asked = devEngines?.packageManager;
  if (packageManager === undefined) {
    if (asked === undefined || !isManager(asked.name)) return undefined;
    const version = EXACT.test(asked.version ?? '') ? asked.version : undefined;
    return { kind: 'named', name: asked.name, version };
  }
  // A hash after `+` belongs to what another tool would have downloaded.
  const [, name = '', version = ''] = /^([^@]+)@([^+]+)(?:\+.*)?$/.exec(packageManager) ?? [];
  if (isManager(name) && EXACT.test(version)) return { kind: 'named', name, version };
  return {
    kind: 'refused',
    message:
      'package.json: packageManager must name npm, yarn, pnpm or bun in one version, such as "pnpm@10.1.0".',
  };
}

/** Undefined for text that is not JSON: the package manager will report that itself. */
export function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null') as unknown;
  } catch {
    return undefined;
  }
}
