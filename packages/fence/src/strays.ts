import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

/** The variable by which processes that a program started are recognised, where no namespace ends them. */
const MARK = 'ROADSTEAD_FENCE';

export const newMark = (): Record<string, string> => ({ [MARK]: randomUUID() });

/**
 * Ends processes that left their process group, for example by `setsid`, unless they have dropped their environment
 * too. Finds nothing where there is no `/proc`.
 */
export async function endStrays(environment: Readonly<Record<string, string>>): Promise<void> {
  const mark = `${MARK}=${environment[MARK] ?? ''}\0`;
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  await Promise.all(
    pids.map(async (pid) => {
      const found = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      if (!found.includes(mark)) return;
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // The process has ended already.
      }
    }),
  );
}
