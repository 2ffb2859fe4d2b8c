import { readdir, readFile } from 'node:fs/promises';

/** Every process whose command line or environment names this folder. */
export async function processesOf(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter(
    (name) => /^\d+$/.test(name) && Number(name) !== process.pid,
  );
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [command = '', env = ''] = await Promise.all(
        ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
      );
      return command !== '' && (command.includes(folder) || env.includes(folder))
        ? `${pid} ${command.replaceAll('\0', ' ').slice(0, 120)}`
        : undefined;
    }),
  );
  return found.filter((one) => one !== undefined);
}
