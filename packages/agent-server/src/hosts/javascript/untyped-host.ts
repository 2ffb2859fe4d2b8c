import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { foldersOfModule } from './host-folders.ts';

/**
 * In a checkout the graph host is TypeScript, and a host that reads it keeps Node's compiler in memory for good, a fifth of all
 * that it takes. It is given its own texts without their types instead; they are written once for each state of them.
 * @returns what Node must be told for that: nothing where the host is JavaScript, or nothing can be written.
 */
export function untypedHost(host_main: string): readonly string[] {
  if (!host_main.endsWith('.ts')) return [];
  const modules = foldersOfModule(host_main).find((folder) => folder.endsWith('node_modules'));
  if (modules === undefined) return [];
  const files = textsOf(host_main);
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(file));
  const written = join(modules, '.cache', 'roadstead', `graph-host-${hash.digest('hex').slice(0, 16)}.mjs`);
  try {
    if (!existsSync(written)) write(written, files);
    return ['--import', written];
  } catch {
    return [];
  }
}

/** In a process of its own: the compiler need not stay in this one either. */
function write(path: string, files: readonly string[]): void {
  const writer = fileURLToPath(new URL('write-untyped-host.ts', import.meta.url));
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', writer, path], {
    input: JSON.stringify(files),
    env: {},
  });
}

/** The files of the host and of its protocol. */
function textsOf(host_main: string): string[] {
  const protocol = createRequire(host_main).resolve('@roadstead/contracts/host-peer');
  return [host_main, protocol].flatMap((file) =>
    readdirSync(dirname(file), { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?<!\.test)\.ts$/.test(name) && !name.startsWith('testing'))
      .map((name) => join(dirname(file), name))
      .toSorted(),
  );
}
