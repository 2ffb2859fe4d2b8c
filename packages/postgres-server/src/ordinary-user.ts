import { readFile } from 'node:fs/promises';

/**
 * PostgreSQL refuses root. As root the command runs in a user namespace in which root's files belong to an ordinary
 * user: no host capability is left, and what it writes still belongs to root on disk. `unshare` without `--fork`
 * becomes the command, so the child's pid is the program's own.
 */
export async function asOrdinaryUser(
  command: readonly [string, ...string[]],
): Promise<readonly [string, ...string[]]> {
  if (process.getuid?.() !== 0) return command;
  const id = ordinaryUser(await readFile('/etc/passwd', 'utf8').catch(() => ''));
  return ['unshare', '--user', `--map-user=${id}`, `--map-group=${id}`, ...command];
}

/** User 1000 if it exists, else another that has a name: initdb looks its user up and fails without one. */
export function ordinaryUser(passwd: string): number {
  const ids = passwd.split('\n').map((line) => Number(line.split(':')[2]));
  return ids.includes(1000) ? 1000 : (ids.find((id) => id > 0) ?? 1000);
}
