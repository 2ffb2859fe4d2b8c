import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

/** Variable by which what a program started is recognised, where no namespace ends it. */
const MARK = 'ROADSTEAD_FENCE';

export const newMark = (): Record<string, string> => ({ [MARK]: randomUUID() });

/**
 * Ends what left its process group, as by `setsid`, unless it has left its environment too. Where there is no `/proc`
 * nothing is found.
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
        // It has ended already.
      }
    }),
  );
}
