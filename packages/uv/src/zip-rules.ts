/** Finds one file in a zip archive. Pure: what it finds is still compressed. */

const END = 0x06_05_4b_50;
const ENTRY = 0x02_01_4b_50;
/** The end of an archive, with the longest comment that it may have. */
const MAX_END_BYTES = 65_557;

export interface ZipMember {
  readonly method: 'stored' | 'deflated';
  readonly data: Buffer;
  /** The size that it has uncompressed. */
  readonly size: number;
}

/** Undefined where the archive has no such file, or is none. */
export function findZipMember(zip: Buffer, name: string): ZipMember | undefined {
  const end = endOf(zip);
  if (end === undefined) return undefined;
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (at + 46 > zip.length || zip.readUInt32LE(at) !== ENTRY) return undefined;
    const [name_bytes = 0, extra_bytes = 0, comment_bytes = 0] = [28, 30, 32].map((field) =>
      zip.readUInt16LE(at + field),
    );
    if (zip.toString('utf8', at + 46, at + 46 + name_bytes) === name) return memberOf(zip, at);
    at += 46 + name_bytes + extra_bytes + comment_bytes;
  }
  return undefined;
}

function endOf(zip: Buffer): number | undefined {
  const first = Math.max(0, zip.length - MAX_END_BYTES);
  for (let at = zip.length - 22; at >= first; at -= 1) if (zip.readUInt32LE(at) === END) return at;
  return undefined;
}

function memberOf(zip: Buffer, entry: number): ZipMember | undefined {
  const method = methods[zip.readUInt16LE(entry + 10)];
  const [compressed = 0, size = 0] = [20, 24].map((field) => zip.readUInt32LE(entry + field));
  const local = zip.readUInt32LE(entry + 42);
  if (method === undefined || local + 30 > zip.length) return undefined;
  // The lengths of the local entry may differ from those of the list.
  const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const data = zip.subarray(begin, begin + compressed);
  return data.length === compressed ? { method, data, size } : undefined;
}

const methods: Readonly<Record<number, ZipMember['method']>> = { 0: 'stored', 8: 'deflated' };
