import { execFile } from 'node:child_process';
import { mkdir, readFile, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { staysInside } from '@roadstead/contracts/langgraph-json';
import { Problem } from '@roadstead/kit';

/**
 * The note that `roadstead dev` leaves in our data folder, `dev/{deployment}.json`: a process that can write there is the
 * operator, and no caller of the API can name a folder of this machine.
 */
const Note = z.object({
  /** The process that keeps the note; once that has ended, the note is void. */
  pid: z.number().int().positive(),
  folder: z.string().refine(isAbsolute),
  /** Folders of installed packages below it. */
  packages: z.array(z.string().refine((path) => staysInside('.', path))),
});
export type Development = z.output<typeof Note>;

/** The folder that a deployment is developed in; undefined for all but those of `roadstead dev`. */
export async function findDevelopment(
  folder: string,
  deployment_id: string,
): Promise<Development | undefined> {
  const text = await readFile(join(folder, `${deployment_id}.json`), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const note = Note.safeParse(JSON.parse(text));
  return note.success && isAlive(note.data.pid) ? note.data : undefined;
}

/** Puts the packages installed in the folder beside a source: linked where the disk supports it, else copied. */
export async function linkPackages({ folder, packages }: Development, to: string): Promise<void> {
  for (const path of packages) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    const from = join(folder, path);
    // A link to packages elsewhere would lead to nothing there.
    await copyTree(await realpath(from).catch(() => from), join(to, path));
  }
}

/** The system's own program copies thousands of files without holding our event loop. */
export async function copyTree(from: string, to: string): Promise<void> {
  for (const flags of COPIES) {
    const why = await promisify(execFile)('cp', [...flags, '--', from, to], { cwd: '/', env: { PATH } }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (why === undefined) return;
    await promisify(execFile)('rm', ['-rf', '--', to], { cwd: '/', env: { PATH } });
    if (flags === COPIES.at(-1))
      throw new Problem('invalid', `The installed packages in ${from} can't be copied.`, { cause: why });
  }
}

/** Hard links, copies that share their blocks, and ordinary copies. */
const COPIES = [
  ['-R', '-l', '-P', '-p'],
  ['-R', '-c', '-P', '-p'],
  ['-R', '-P', '-p'],
] as const;
const PATH = '/usr/bin:/bin:/run/current-system/sw/bin';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
