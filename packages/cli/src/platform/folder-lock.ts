import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/**
 * Takes the lock of a file, which the system releases when the process dies, however it dies. The lock belongs to the
 * file and not to the path, so every path to the file has the same lock. Node offers file locks only through a
 * database.
 * @returns undefined while another process has it.
 */
export function takeLock(path: string): Disposable | undefined {
  const file = new DatabaseSync(path);
  try {
    // Without a journal the file stays empty, and there is no other file beside it that a killed process could leave.
    file.exec('pragma journal_mode = memory; begin immediate');
    return { [Symbol.dispose]: () => file.close() };
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}
