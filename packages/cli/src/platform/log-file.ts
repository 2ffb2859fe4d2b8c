import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

export interface LogFile extends Disposable {
  write(line: string): void;
}

/**
 * Writes lines in order, each complete when `write` returns. A full file becomes `{path}.1`, replacing the one
 * before. When the disk is full lines are lost, and nothing else.
 */
export function openLogFile(path: string, max_bytes = 10_000_000): LogFile {
  const open = () => {
    const file = openSync(path, 'a', 0o600);
    return { file, size: fstatSync(file).size };
  };
  let current: { readonly file: number; size: number } | undefined = open();
  const turn = () => {
    if (current !== undefined) closeSync(current.file);
    current = undefined;
    renameSync(path, `${path}.1`);
    current = open();
  };
  let isClosed = false;
  return {
    write: (line) => {
      if (isClosed) return;
      try {
        const bytes = Buffer.from(line);
        current ??= open();
        if (current.size > 0 && current.size + bytes.length > max_bytes) turn();
        current.size += writeSync(current.file, bytes);
      } catch {
        // There is nowhere to report it.
      }
    },
    [Symbol.dispose]: () => {
      isClosed = true;
      if (current !== undefined) closeSync(current.file);
    },
  };
}
