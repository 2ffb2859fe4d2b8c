import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AssignedSource, SourceCredentials } from '@roadstead/contracts/control-plane';
import { openFence } from '@roadstead/fence';
import { createLog, Problem } from '@roadstead/kit';
import { useFixture, useFolder } from '@roadstead/testing';
import { beforeEach, expect } from 'vitest';
import { createGitSource } from '../sources/git-source.ts';
import { openGit } from '../sources/open-git.ts';
import { startHttpsHost } from './git-https-host.ts';
import { TestRepository } from './git-repository.ts';
import { startSshHost } from './git-ssh-host.ts';

/** Real git on both sides, over https and ssh. */

type GitSource = Extract<AssignedSource, { readonly kind: 'git' }>;

export interface GitFetch extends Partial<GitSource> {
  readonly credentials?: SourceCredentials;
  readonly max_bytes?: number;
  readonly limits?: { readonly entries: number; readonly bytes: number };
  readonly allowed_hosts?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly onCommit?: (commit_sha: string) => Promise<void>;
}

interface FetchedSource {
  readonly folder: string;
  readonly commits: readonly string[];
  readonly lines: readonly string[];
}

function secretOf(credentials: SourceCredentials | undefined): string {
  if (credentials === undefined) return 'no secret';
  return credentials.kind === 'token' ? credentials.token : credentials.private_key;
}

/** The code of the agent that was fetched. */
export const agent = async ({ folder: into }: FetchedSource) => readFile(join(into, 'agent.js'), 'utf8');

/** A repository at two hosts, which forget what a test has asked of them before the next one, and fetches from there. */
export function useGitFetches() {
  const folder = useFolder('git-source-');
  const fence = useFixture(
    async () => (await openFence({ isolation: 'auto', data_folder: folder(), sockets: [] })).fence,
  );
  const repository = useFixture(() => TestRepository.open());
  const https = useFixture(() => startHttpsHost(repository().root));
  const ssh = useFixture(() => startSshHost(repository().root));
  const first = useFixture(() => repository().commit({ 'agent.js': 'one', 'deep/langgraph.json': '{}' }));
  beforeEach(() => {
    https().credentials = undefined;
    https().before = undefined;
    https().requests.length = 0;
    ssh().isLocked = false;
    ssh().commands.length = 0;
  });
  let fetches = 0;

  /** Fetches into a new folder, and checks whether anything is left beside it. */
  async function fetched({
    credentials,
    limits,
    onCommit,
    ...options
  }: GitFetch = {}): Promise<FetchedSource> {
    const at = join(folder(), 'artifacts', `fetch-${(fetches += 1)}`);
    await mkdir(join(at, 'work'), { recursive: true });
    const into = join(at, 'work');
    const { allowed_hosts = ['localhost'], max_bytes, environment = {}, ...source } = options;
    await using git = await openGit({
      fence: fence(),
      folder: join(folder(), 'git', String(fetches)),
      environment: { PATH: process.env['PATH'], GIT_SSL_CAINFO: https().ca_file, ...environment },
      allowed_hosts,
      log: createLog({ level: 'error' }),
      ...(max_bytes === undefined ? {} : { max_bytes }),
    });
    if (git === undefined) throw new Error('This machine has no git.');
    const [commits, lines]: [string[], string[]] = [[], []];
    const fetchSource = createGitSource({ ...git.context, ...(limits === undefined ? {} : { limits }) });
    try {
      await fetchSource(
        {
          kind: 'git',
          repo_url: https().url,
          ref: 'main',
          commit_sha: null,
          has_credentials: credentials !== undefined,
          artifact_put_url: '',
          ...source,
        },
        {
          folder: into,
          credentials: async () => credentials ?? null,
          onCommit: async (commit_sha) => {
            commits.push(commit_sha);
            await onCommit?.(commit_sha);
          },
          onLine: (line) => lines.push(line),
          signal: new AbortController().signal,
        },
      );
    } finally {
      expect(await readdir(at)).toEqual(['work']);
      expect(lines.join('\n')).not.toContain(folder());
      expect(lines.filter((line) => line.includes(secretOf(credentials)))).toEqual([]);
    }
    return { folder: into, commits, lines };
  }

  /** The code, message and hint that a fetch ends with. */
  async function failure(options: GitFetch): Promise<Pick<Problem, 'code' | 'message' | 'hint'>> {
    try {
      await fetched(options);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { code: error.code, message: error.message, hint: error.hint };
    }
    throw new Error('It was fetched.');
  }

  return { folder, fence, repository, https, ssh, first, fetched, failure };
}
