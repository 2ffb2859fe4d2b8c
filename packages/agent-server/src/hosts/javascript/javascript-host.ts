import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { HostKind } from '../host-kind.ts';
import { foldersOfModule } from './host-folders.ts';
import { untypedHost } from './untyped-host.ts';

/** The graph host is never imported, only started. */
const hostMain = createRequire(import.meta.url).resolve('@roadstead/graph-host/main');
let untyped: readonly string[] | undefined;

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

/** In an image they have this Node, too; what they start is found where the image says. */
export const javascriptHostOfImage: HostKind = { ...javascriptHost, variables: { NODE_ENV: 'production' } };
