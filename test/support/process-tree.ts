import { readdir, readFile } from 'node:fs/promises';

/** The processes below one whose command line has the pattern, by following parents up to it (Linux). */
export async function processesOf(root: number, pattern: RegExp): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const table = await Promise.all(
    pids.map(async (pid) => {
      const [command = '', stat = ''] = await Promise.all(
        ['cmdline', 'stat'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
      );
      return {
        pid: Number(pid),
        parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]),
        command: command.replaceAll('\0', ' '),
      };
    }),
  );
  const parents = new Map(table.map((one) => [one.pid, one.parent]));
  const isBelow = (pid: number): boolean =>
    pid === root || (parents.has(pid) && pid > 1 && isBelow(parents.get(pid) ?? 0));
  return table.filter((one) => pattern.test(one.command) && isBelow(one.pid)).map((one) => one.pid);
}

/** kill -9 of each of them, and how many they were; one that ends meanwhile counts. */
export async function killProcessesOf(root: number, pattern: RegExp): Promise<number> {
  const pids = await processesOf(root, pattern);
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  return pids.length;
}
