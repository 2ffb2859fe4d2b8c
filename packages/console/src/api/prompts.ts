import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { traces } from './clients.ts';

/** What several views ask about prompts. The owner `-` is the workspace. */
export type Prompt = Awaited<ReturnType<typeof traces.readPrompt>>['repo'];
export type PromptCommit = Awaited<ReturnType<typeof traces.listPromptCommits>>['commits'][number];
export type PromptTag = Awaited<ReturnType<typeof traces.listPromptTags>>[number];

const MOST = 100;
export const inWorkspace = (repo: string) => ({ owner: '-', repo });

export const promptsQuery = (words: string) =>
  infiniteQueryOptions({
    queryKey: ['prompts', 'list', words],
    queryFn: ({ pageParam, signal }) =>
      traces.listPrompts({
        query: { limit: MOST, offset: pageParam, repo_type: 'prompt', ...(words !== '' && { query: words }) },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ repos }, pages) => (repos.length < MOST ? undefined : pages.length * MOST),
  });

export const promptQuery = (repo: string) =>
  queryOptions({
    queryKey: ['prompt', repo, 'one'],
    queryFn: async ({ signal }) => (await traces.readPrompt({ params: inWorkspace(repo), signal })).repo,
  });

export const commitsQuery = (repo: string) =>
  infiniteQueryOptions({
    queryKey: ['prompt', repo, 'commits'],
    queryFn: ({ pageParam, signal }) =>
      traces.listPromptCommits({
        params: inWorkspace(repo),
        query: { limit: MOST, offset: pageParam, include_stats: 'true' },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ commits }, pages) => (commits.length < MOST ? undefined : pages.length * MOST),
  });

export const tagsQuery = (repo: string) =>
  queryOptions({
    queryKey: ['prompt', repo, 'tags'],
    queryFn: ({ signal }) => traces.listPromptTags({ params: inWorkspace(repo), signal }),
  });

/** A commit by its hash, a tag, or `latest`. */
export const commitQuery = (repo: string, commit: string) =>
  queryOptions({
    queryKey: ['prompt', repo, 'commit', commit],
    queryFn: ({ signal }) =>
      traces.readPromptCommit({
        params: { ...inWorkspace(repo), commit },
        query: { include_model: 'true', is_view: 'true' },
        signal,
      }),
  });

export interface CommitToWrite {
  readonly manifest: unknown;
  readonly parent: string | null;
  readonly description: string;
}

/** Writes a version. @returns its hash. */
export async function writePromptCommit(repo: string, commit: CommitToWrite): Promise<string> {
  const { manifest, parent, description } = commit;
  const answer = await traces.createPromptCommit({
    params: inWorkspace(repo),
    raw: JSON.stringify({
      manifest,
      ...(parent !== null && { parent_commit: parent }),
      ...(description !== '' && { description }),
    }),
    headers: { 'content-type': 'application/json' },
  });
  return answer.commit.commit_hash;
}
