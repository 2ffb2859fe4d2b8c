import type { SourceCredentials, Watch } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { Git } from './git-command.ts';
import { findRef } from './git-refs.ts';
import { readGitSource } from './git-source.ts';
import type { OpenedGit } from './open-git.ts';
import { runStep } from '../steps/steps.ts';
import { SourceAway } from '../ports/source-away.ts';

interface WhyNot {
  readonly code: string;
  readonly message: string;
}

/** The result of looking up a ref. */
export type FoundHead =
  | { readonly kind: 'found'; readonly commit_sha: string }
  | { readonly kind: 'gone' }
  /** The host doesn't answer as it should. */
  | { readonly kind: 'away'; readonly problem: WhyNot }
  | { readonly kind: 'refused'; readonly problem: WhyNot };

export type FindHead = (
  watch: Watch,
  asked: { readonly credentials: () => Promise<SourceCredentials | null>; readonly signal: AbortSignal },
) => Promise<FoundHead>;

const LATE_MS = 30_000;

/** Queries hosts with git, like a fetch does: behind the same fence and the same guard. */
export function createHeadFinder({ context, newFolder }: OpenedGit): FindHead {
  return async (watch, { credentials, signal }) => {
    try {
      const { address, ref } = readGitSource(watch);
      if (ref.kind === 'commit') return { kind: 'found', commit_sha: ref.sha };
      const find = async (until: AbortSignal) => {
        await using git = await Git.open(context, {
          address,
          credentials: watch.has_credentials ? await credentials() : null,
          home: newFolder(),
          signal: until,
        });
        return await findRef(git, ref);
      };
      const found = await runStep(find, { signal, limit: { ms: LATE_MS, error: tooLate } });
      return found.kind === 'found' ? { kind: 'found', commit_sha: found.ref.commit_sha } : { kind: 'gone' };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SourceAway) return { kind: 'away', problem: whyNot(error.problem) };
      if (error instanceof Problem) return { kind: 'refused', problem: whyNot(error) };
      throw error;
    }
  };
}

const tooLate = () =>
  new SourceAway(
    new Problem('unavailable', `The host did not answer within ${LATE_MS / 1000} s.`, {
      code: 'git_host_away',
    }),
  );

const whyNot = ({ code, message }: Problem): WhyNot => ({ code: code ?? 'git_failed', message });
