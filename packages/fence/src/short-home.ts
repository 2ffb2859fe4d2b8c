import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The bytes of a folder's path from which on sockets no longer fit below it: their paths have 103 at most on every system,
 * and those of Python's pools take 32 below the folder of temporary files.
 */
const LONG_BYTES = 70;
/** The same home in a namespace, where the root is the program's own. */
export const SHORT_HOME = '/.home';

interface Home {
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Whether a program has its temporary files in its home, and sockets there would have too long a path. */
export const needsShortHome = ({ home, environment }: Home): boolean =>
  environment['TMPDIR'] === home && Buffer.byteLength(home) > LONG_BYTES;

/** Links to a home from the machine's folder of temporary files, where only this user may enter. */
export function linkShortHome(home: string): { readonly path: string } & Disposable {
  const machine = tmpdir();
  const folder = mkdtempSync(
    join(Buffer.byteLength(machine) < LONG_BYTES - 24 ? machine : '/tmp', 'roadstead-'),
  );
  const path = join(folder, 'own');
  symlinkSync(home, path);
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
