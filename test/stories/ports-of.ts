import { readdir, readFile, readlink } from 'node:fs/promises';

/** The TCP ports on which these processes listen (Linux). */
export async function portsOf(pids: readonly number[]): Promise<number[]> {
  const sockets = new Set((await Promise.all(pids.map(socketsOf))).flat());
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const LISTENS = '0A';
  const ports = tables.flatMap((table) =>
    table
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === LISTENS && sockets.has(inode ?? ''))
      .map(([, local = '']) => Number.parseInt(local.split(':')[1] ?? '', 16)),
  );
  return [...new Set(ports)];
}

/** The numbers of the sockets that a process has open. */
async function socketsOf(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const links = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}
