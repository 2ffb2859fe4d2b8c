import { join } from 'node:path';
import type { Fence } from '@roadstead/fence';
import { type Log, randomToken } from '@roadstead/kit';
import { ConnectProxy } from '@roadstead/outbound';
import { removeTree } from '../folders/remove-tree.ts';
import type { GitContext } from './git-command.ts';
import { findGit } from './git-programs.ts';

export interface GitOptions {
  readonly fence: Fence;
  /** Of ours, for what is removed again. */
  readonly folder: string;
  /** The operator's. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly allowed_hosts: readonly string[];
  readonly log: Log;
  /** Of one fetch; 1 GB unless a test says otherwise. */
  readonly max_bytes?: number;
}

const MAX_BYTES = 1_000_000_000;

/** What fetches repositories on this machine, and an address for folders of its own. */
export interface OpenedGit extends AsyncDisposable {
  readonly context: GitContext;
  /** A path in our folder that nobody else uses. */
  readonly newFolder: () => string;
}

/** Undefined where this machine can't: then it doesn't claim to. */
export async function openGit(options: GitOptions): Promise<OpenedGit | undefined> {
  const { fence, folder, environment, allowed_hosts, log, max_bytes = MAX_BYTES } = options;
  // What a killed process left.
  await removeTree(folder);
  const newFolder = () => join(folder, randomToken(9));
  const found = await findGit(fence, { path: environment['PATH'] ?? '', folder: newFolder() });
  if (found.kind === 'missing') {
    log.warn('repositories can not be fetched here', { why: found.why });
    return undefined;
  }
  const proxy = await ConnectProxy.open({ allowed_hosts });
  // As git's users name it; authorities of a company are usually the machine's.
  const ca_file = environment['GIT_SSL_CAINFO'] || undefined;
  return {
    context: { fence, proxy, programs: found.programs, max_bytes, ca_file },
    newFolder,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}
