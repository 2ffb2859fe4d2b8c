import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The files of the console, as the builder left them: in a checkout `bin/console.mjs`, in the package `npm run pack`. */

const DIST = fileURLToPath(new URL('../../../console/dist/', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

export interface ConsoleFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly is_brotli: boolean;
}

/** Reads a file by its path below `/console/`; undefined where there is none, or the console is not built yet. */
export async function findConsoleFile(path: string, brotli: boolean): Promise<ConsoleFile | undefined> {
  const file = normalize(join(DIST, path));
  const type = types[extname(file)];
  if (type === undefined || !file.startsWith(DIST) || file.includes(`${sep}.`)) return undefined;
  const packed = brotli ? await readBytes(`${file}.br`) : undefined;
  if (packed !== undefined) return { bytes: packed, type, is_brotli: true };
  const bytes = await readBytes(file);
  return bytes && { bytes, type, is_brotli: false };
}

async function readBytes(file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
