import { join } from 'node:path';
import type { Fence } from '@roadstead/fence';
import { type Log, randomToken } from '@roadstead/kit';
import { ConnectProxy } from '@roadstead/outbound';
import { removeTree } from '../folders/remove-tree.ts';
import type { GitContext } from './git-command.ts';
import { findGit } from './git-programs.ts';

export interface GitOptions {
  readonly fence: Fence;
  /** A folder of ours for temporary files. */
  readonly folder: string;
  /** The operator's variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly allowed_hosts: readonly string[];
  readonly log: Log;
  /** The limit of one fetch; 1 GB unless a test sets another. */
  readonly max_bytes?: number;
}

const MAX_BYTES = 1_000_000_000;

/** Fetches repositories on this machine, and provides folders of its own. */
export interface OpenedGit extends AsyncDisposable {
  readonly context: GitContext;
  /** An unused path in our folder. */
  readonly newFolder: () => string;
}

/** Undefined where this machine can't fetch repositories: then it doesn't claim to. */
export async function openGit(options: GitOptions): Promise<OpenedGit | undefined> {
  const { fence, folder, environment, allowed_hosts, log, max_bytes = MAX_BYTES } = options;
  // Left over from a killed process.
  await removeTree(folder);
  const newFolder = () => join(folder, randomToken(9));
  const found = await findGit(fence, { path: environment['PATH'] ?? '', folder: newFolder() });
  if (found.kind === 'missing') {
    log.warn('repositories can not be fetched here', { why: found.why });
    return undefined;
  }
  const proxy = await ConnectProxy.open({ allowed_hosts });
  // The setting that git's users know; authorities of a company are usually the machine's.
  const ca_file = environment['GIT_SSL_CAINFO'] || undefined;
  return {
    context: { fence, proxy, programs: found.programs, max_bytes, ca_file },
    newFolder,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}
