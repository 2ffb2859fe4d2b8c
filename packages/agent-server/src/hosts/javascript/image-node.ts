import { closeSync, openSync, readSync } from 'node:fs';

/** The oldest releases on which the host runs and compiles TypeScript: older ones lack hooks for modules, or fail in them. */
const LEAST_NODES = [
  [22, 22, 3],
  [24, 11, 1],
  [25, 1, 0],
] as const;
const FIRST_OF_ALL = 26;

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
version=$(NODE_OPTIONS= node --version 2>/dev/null)
rest=\${version#v}
major=\${rest%%.*} rest=\${rest#*.}
minor=\${rest%%.*} patch=\${rest#*.}
from() {
  [ "$minor" -gt "$1" ] || { [ "$minor" -eq "$1" ] && [ "$patch" -ge "$2" ]; }
}
case $version in
  v*.*.*) ;;
  *) major= ;;
esac
case $major.$minor.$patch in
  *[!0-9.]*|.*|*..*|*.) major=0 ;;
esac
case $major in
  ${LEAST_NODES.map(([major, minor, patch]) => `${major}) from ${minor} ${patch} ;;`).join('\n  ')}
  *) [ "$major" -ge ${FIRST_OF_ALL} ] ;;
esac && exec node "$@"
echo "${REFUSED} $version" >&2
exit 126
`;

const fitting = `${LEAST_NODES.map((release) => release.join('.')).join(' or newer, ')} or newer, or ${FIRST_OF_ALL}`;

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
  return `The image ${has}. With musl, JavaScript graphs run on the Node of the image, which has to be ${fitting}: build it on another base, such as node:24-alpine.`;
}

/** Where the header of a 64-bit ELF file says where its segments are, how long each is, and how many. */
const HEADER = { size: 64, at: 32, length: 54, count: 56 };
const SEGMENT = { at: 8, size: 32 };
const LOADER_SEGMENT = 3;

/** The loader that a program of Linux names, of 64 bits and the low byte first: without it, the kernel finds no such program. */
export function loaderOf(program: string): string | undefined {
  const file = openSync(program, 'r');
  try {
    const header = bytesOf(file, { at: 0, size: HEADER.size });
    if (header.toString('latin1', 0, 6) !== '\u007FELF\u0002\u0001') return undefined;
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
