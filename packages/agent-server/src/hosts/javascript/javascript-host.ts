import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { HostedImage, HostKind } from '../host-kind.ts';
import { foldersOfModule } from './host-folders.ts';
import { chosenNode, loaderOf, refusedNode } from './image-node.ts';
import { untypedHost } from './untyped-host.ts';

/** The graph host is never imported, only started. */
const hostMain = createRequire(import.meta.url).resolve('@roadstead/graph-host/main');
let untyped: readonly string[] | undefined;
let loader: string | undefined;

/** What kernels, engines and loaders print where an image lacks what our Node needs. */
const misfits: readonly { readonly words: RegExp; readonly sentence: string }[] = [
  {
    // The file is there: its loader is not.
    words:
      /^(?:standard_init_linux\.go:\d+: )?exec (?:user process caused:|\S*node:) "?no such file or directory"?$/,
    sentence:
      'The image has no glibc, which the Node of Roadstead needs. Where it has musl, as Alpine’s do, name its graphs by LANGSERVE_GRAPHS in place of the label: they run on its own Node then. Or build it on a base such as Debian’s or Wolfi’s.',
  },
  {
    words: /\bnode: .*version `(?:GLIBC|GLIBCXX|CXXABI)_[\d.]+' not found/,
    sentence:
      'The glibc or libstdc++ of the image is older than the Node of Roadstead needs: build it on a newer base.',
  },
  {
    words: /\bnode: error while loading shared libraries: lib(?:stdc\+\+|gcc_s|atomic)\.so/,
    sentence: 'The image has no libstdc++, which the Node of Roadstead needs: install it there (libstdc++6).',
  },
];

/** The rest is for buffers, code and threads; V8 reports a full heap with a stack. */
const HEAP_SHARE = 0.75;

/** V8 takes up to three times as much for new objects; a host with little memory has to do with less. */
const youngMb = (memory_mb: number) => Math.min(16, Math.max(4, Math.round(memory_mb / 64)));

/** Hosts of JavaScript and TypeScript: Node, and so V8. */
export const javascriptHost: HostKind = {
  command: ({ memory_mb }) => [
    process.execPath,
    `--max-semi-space-size=${youngMb(memory_mb)}`,
    `--max-old-space-size=${Math.round(memory_mb * HEAP_SHARE)}`,
    // One thread beside the main one for compiling and collecting: some megabytes less, and no slower.
    '--v8-pool-size=1',
    ...(untyped ??= untypedHost(hostMain)),
    hostMain,
  ],
  variables: { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, NODE_ENV: 'production' },
  reads: foldersOfModule(hostMain),
  // V8 writes why, and aborts.
  memory_full: {
    says: (line) => /JavaScript heap out of memory/.test(line),
    ends: (how) => how.kind === 'killed' && ['SIGABRT', 'SIGTRAP'].includes(how.signal),
  },
};

/** Where ours is in an image, which has its own on its PATH. */
const OWN_NODE = '/opt/roadstead-node';

/** In an image they have this Node, too, or its own where it has another C library; what they start is found where the image says. */
export const javascriptHostOfImage = ({ has_shell }: Pick<HostedImage, 'has_shell'>): HostKind => ({
  ...javascriptHost,
  ...(has_shell && { command: chosenCommand, moved: [{ from: process.execPath, to: OWN_NODE }] }),
  variables: { NODE_ENV: 'production' },
  unfit: (line) => refusedNode(line) ?? misfits.find(({ words }) => words.test(line))?.sentence,
});

const chosenCommand: HostKind['command'] = (limits) => {
  const [path, ...args] = javascriptHost.command(limits);
  return chosenNode({ path: OWN_NODE, loader: (loader ??= loaderOf(path)) }, args);
};
