import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A wheel made for tests: its name, and its bytes. */
export interface Wheel {
  readonly file: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

export interface WheelContents {
  readonly version?: string;
  readonly requires?: readonly string[];
  /** Files of the package beside its `__init__.py`, below the root of the wheel. */
  readonly files?: Readonly<Record<string, string>>;
  /** Programs: `module:function` by name. */
  readonly scripts?: Readonly<Record<string, string>>;
}

/** Makes the wheel of a pure package whose one module holds its version. */
export function makeWheel(name: string, contents: WheelContents = {}): Wheel {
  const { version = '1.0', requires = [], files = {}, scripts = {} } = contents;
  const info = `${name}-${version}.dist-info`;
  const metadata = [
    'Metadata-Version: 2.1',
    `Name: ${name}`,
    `Version: ${version}`,
    ...requires.map((one) => `Requires-Dist: ${one}`),
  ];
  const programs = Object.entries(scripts).map(([program, at]) => `${program} = ${at}`);
  const all = {
    [`${name}/__init__.py`]: `VERSION = '${version}'\n`,
    ...files,
    [`${info}/METADATA`]: `${metadata.join('\n')}\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    ...(programs.length === 0
      ? {}
      : { [`${info}/entry_points.txt`]: `[console_scripts]\n${programs.join('\n')}\n` }),
  };
  const record = [...Object.keys(all), `${info}/RECORD`].map((path) => `${path},,`);
  const bytes = zip({ ...all, [`${info}/RECORD`]: `${record.join('\n')}\n` });
  return {
    file: `${name}-${version}-py3-none-any.whl`,
    bytes,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

/** A zip archive of these files, stored as they are. */
function zip(files: Readonly<Record<string, string>>): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [path, text] of Object.entries(files)) {
    const name = Buffer.from(path);
    const data = Buffer.from(text);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    // 1 January 1980, before which zip knows no date.
    common.writeUInt16LE(33, 8);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((0o100_644 << 16) >>> 0, 6);
    tail.writeUInt32LE(at, 10);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, name, data]);
    entries.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), common, tail, name]));
    locals.push(local);
    at += local.length;
  }
  const list = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, list, end]);
}
