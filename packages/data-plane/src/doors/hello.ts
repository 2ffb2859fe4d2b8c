import type { Duplex } from 'node:stream';
import { MAX_HELLO_BYTES } from '@roadstead/contracts/host';
import type { ZodType } from 'zod';

/** How long a connection may take to say what it is. */
const HELLO_MS = 10_000;

/**
 * The first line of a connection, as JSON of this schema; undefined where none comes that can be read. What comes after it is left to be
 * read.
 */
export async function helloOf<Hello>(connection: Duplex, schema: ZodType<Hello>): Promise<Hello | undefined> {
  const line = await new Promise<string | undefined>((resolve) => {
    let held = Buffer.alloc(0);
    const end = (found: string | undefined) => {
      clearTimeout(late);
      connection.off('data', read).off('close', gone);
      resolve(found);
    };
    const gone = () => end(undefined);
    const late = setTimeout(gone, HELLO_MS);
    const read = (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      const at = held.indexOf('\n');
      if (at < 0 && held.length <= MAX_HELLO_BYTES) return;
      connection.pause();
      if (at >= 0 && held.length > at + 1) connection.unshift(held.subarray(at + 1));
      end(at < 0 ? undefined : held.toString('utf8', 0, at));
    };
    connection.on('data', read).on('close', gone);
  });
  try {
    return schema.parse(JSON.parse(line ?? ''));
  } catch {
    return undefined;
  }
}
