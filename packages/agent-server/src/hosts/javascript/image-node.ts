import { closeSync, openSync, readSync } from 'node:fs';

/** The oldest Node on which the host runs: it answers for its modules by hooks that older ones lack. */
export const LEAST_NODE = '22.15';

/** What the shell says where the Node of an image can't run the host; its version follows, if it has one. */
const REFUSED = 'roadstead: this host can not run on the node of the image:';

/**
 * Decides in an image which Node starts: ours needs the C library that it was built for. With another one the packages of the image
 * were built for its own Node, too. The shell knows its C library by what it has in memory; that the loader of ours is there does not
 * tell it, since images with musl have such files for other programs, under which Node begins and fails.
 */
const CHOOSE = `
maps=$1 loader=$2 ours=$3
shift 3
musl=
while read -r line; do
  case $line in */ld-musl-*|*/libc.so) musl=yes; break ;; esac
done < "$maps"
[ -z "$musl" ] && [ -e "$loader" ] && exec "$ours" "$@"
version=$(node --version 2>/dev/null)
major=\${version#v} minor=\${version#*.}
major=\${major%%.*} minor=\${minor%%.*}
case $major/$minor in
  [0-9]/*|1[0-9]/*|2[01]/*|22/[0-9]|22/1[0-4]|23/[0-4]|*[!0-9/]*|/*|*/) ;;
  *) exec node "$@" ;;
esac
echo "${REFUSED} $version" >&2
exit 126
`;

interface OwnNode {
  /** Its path, in the image as here. */
  readonly path: string;
  /** What the kernel starts it by; undefined where it needs nothing. */
  readonly loader: string | undefined;
}

/** The command that starts the Node that fits an image, with these arguments. */
export const chosenNode = (
  { path, loader }: OwnNode,
  args: readonly string[],
): readonly [string, ...string[]] => [
  '/bin/sh',
  '-c',
  CHOOSE,
  'sh',
  '/proc/self/maps',
  loader ?? path,
  path,
  ...args,
];

/** Says in words why no Node of an image fits, by a line of the shell. */
export function refusedNode(line: string): string | undefined {
  if (!line.startsWith(REFUSED)) return undefined;
  const version = line.slice(REFUSED.length).trim();
  const has = version === '' ? 'has no `node` on its PATH' : `has Node ${version.replace(/^v/, '')}`;
  return `The image ${has}. With musl, JavaScript graphs run on the Node of the image, which has to be ${LEAST_NODE} or newer: build it on another base, such as node:24-alpine.`;
}

/** Where the header of a 64-bit ELF file says where its segments are, how long each is, and how many. */
const HEADER = { size: 64, at: 32, length: 54, count: 56 };
const SEGMENT = { at: 8, size: 32 };
const LOADER_SEGMENT = 3;

/** The loader that a program of Linux names: without it, the kernel finds no such program. */
export function loaderOf(program: string): string | undefined {
  const file = openSync(program, 'r');
  try {
    const header = bytesOf(file, { at: 0, size: HEADER.size });
    if (header.toString('latin1', 0, 4) !== '\u007FELF') return undefined;
    const size = header.readUInt16LE(HEADER.length);
    const first = Number(header.readBigUInt64LE(HEADER.at));
    for (let index = 0; index < header.readUInt16LE(HEADER.count); index += 1) {
      const segment = bytesOf(file, { at: first + index * size, size });
      if (segment.readUInt32LE(0) !== LOADER_SEGMENT) continue;
      const [at, length] = [SEGMENT.at, SEGMENT.size].map((place) => Number(segment.readBigUInt64LE(place)));
      return bytesOf(file, { at: at ?? 0, size: (length ?? 1) - 1 }).toString();
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}

function bytesOf(file: number, { at, size }: { readonly at: number; readonly size: number }): Buffer {
  const bytes = Buffer.alloc(size);
  readSync(file, bytes, 0, size, at);
  return bytes;
}
