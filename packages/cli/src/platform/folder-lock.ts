import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/**
 * Takes the lock of a file, which the system lets go of when the process dies, however it dies. It belongs to the file
 * and not to the path, so every way to the file meets the same lock. Node offers it only by way of a database.
 * @returns undefined while another process has it.
 */
export function takeLock(path: string): Disposable | undefined {
  const file = new DatabaseSync(path);
  try {
    // Without a journal the file stays empty, and nothing is beside it that a killed process could leave.
    file.exec('pragma journal_mode = memory; begin immediate');
    return { [Symbol.dispose]: () => file.close() };
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}
