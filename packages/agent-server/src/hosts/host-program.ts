import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import type { FencedProgram, Limits } from '@roadstead/fence';
import { foldersOfModule } from './host-folders.ts';
import { untypedHost } from './untyped-host.ts';

/** The graph host is never imported, only started. */
const hostMain = createRequire(import.meta.url).resolve('@roadstead/graph-host/main');
const hostFolders = foldersOfModule(hostMain);
let untyped: readonly string[] | undefined;

/** The rest is for buffers, code and threads; whoever fills the heap is told so by V8, with a stack. */
const HEAP_SHARE = 0.75;

/** V8 takes up to three times as much for new objects; a host with little memory has to do with less. */
export const youngMb = (memory_mb: number) => Math.min(16, Math.max(4, Math.round(memory_mb / 64)));

const argumentsOf = ({ memory_mb }: Limits) => [
  `--max-semi-space-size=${youngMb(memory_mb)}`,
  `--max-old-space-size=${Math.round(memory_mb * HEAP_SHARE)}`,
  // One thread beside the main one for compiling and collecting: some megabytes less, and no slower.
  '--v8-pool-size=1',
];

interface HostedRevision {
  readonly folder: string;
  readonly project: ProjectGraphs;
  readonly environment: Readonly<Record<string, string>>;
}

/** How a graph host of a revision is started. */
export function hostProgram(
  { folder, project, environment }: HostedRevision,
  {
    writable_folder,
    limits,
    api_url,
  }: { readonly writable_folder: string; readonly limits: Limits; readonly api_url: string },
): Omit<FencedProgram, 'pipes'> {
  return {
    command: [process.execPath, ...argumentsOf(limits), ...(untyped ??= untypedHost(hostMain)), hostMain],
    cwd: folder,
    environment: {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: writable_folder,
      TMPDIR: writable_folder,
      NODE_ENV: 'production',
      LANGGRAPH_API_URL: api_url,
      ...environment,
      ROADSTEAD_PROJECT: JSON.stringify(project),
    },
    reads: [...hostFolders, folder],
    writes: [writable_folder],
    home: writable_folder,
    limits,
  };
}
