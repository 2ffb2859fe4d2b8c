import { gzipSync } from 'node:zlib';
import { Header } from 'tar';

/** Archives that no ordinary tool would write. */

export interface Entry {
  readonly path: string;
  readonly type?:
    | 'File'
    | 'Directory'
    | 'SymbolicLink'
    | 'Link'
    | 'CharacterDevice'
    | 'FIFO'
    | 'ExtendedHeader'
    | 'GlobalExtendedHeader'
    | 'NextFileHasLongPath';
  readonly linkpath?: string;
  readonly text?: string;
  readonly mode?: number;
  readonly uid?: number;
  /** Used instead of the text's length. */
  readonly size?: number;
}

/** The blocks that end an archive. */
export const ends = Buffer.alloc(1024);

export const archiveOf = (entries: readonly Entry[]): Buffer =>
  gzipSync(Buffer.concat([blocksOf(entries), ends]));

/** The blocks of an archive without its end. */
export function blocksOf(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(
    ({ path, type = 'File', linkpath, text = '', size = text.length, mode = 0o644, uid }) => {
      const block = Buffer.alloc(512);
      const header = new Header({
        path,
        type,
        mode,
        size,
        ...(uid === undefined ? {} : { uid, gid: uid }),
        ...(linkpath === undefined ? {} : { linkpath }),
      });
      header.encode(block, 0);
      const body = Buffer.alloc(Math.ceil(text.length / 512) * 512);
      body.write(text);
      return [block, body];
    },
  );
  return Buffer.concat(blocks);
}

/** The header of an entry to come, and its text. */
export function extended(size: number): Buffer {
  const block = Buffer.alloc(512);
  new Header({ path: 'PaxHeader', type: 'ExtendedHeader', mode: 0o644, size }).encode(block, 0);
  const record = `${size} comment=`;
  return Buffer.concat([
    block,
    Buffer.alloc(Math.ceil(size / 512) * 512, 'x').fill(record, 0, record.length),
  ]);
}
