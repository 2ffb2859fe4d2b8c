import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { commitsQuery, type Prompt, promptQuery, tagsQuery } from '../../api/prompts.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { Snippet } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Menu } from '../../ui/menu.tsx';
import { NextPageButton } from '../../ui/next-page.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { CommitDiff } from './commit-diff.tsx';
import { CommitList } from './commit-list.tsx';
import { CommitView } from './commit-view.tsx';
import { DeletePrompt } from './delete-prompt.tsx';
import { EditCommit } from './edit-commit.tsx';
import { EditDetails } from './edit-details.tsx';
import { pullPython, pullTypeScript, pushLines } from './sdk-lines.ts';

/** A prompt: its commits, what one of them says, and how programs pull it. */
export function PromptPage() {
  const { prompt: name = '' } = useParams({ strict: false });
  const prompt = useQuery(promptQuery(name));
  return <Answer of={prompt}>{(found) => <FoundPrompt key={found.repo_handle} prompt={found} />}</Answer>;
}

type OpenForm = 'edit' | 'details' | 'delete';

function FoundPrompt({ prompt }: { readonly prompt: Prompt }) {
  const { repo_handle: name, is_public, description, num_commits } = prompt;
  const { commit = 'latest' } = useSearch({ strict: false });
  const [doing, setDoing] = useState<OpenForm>();
  const go = useGo();
  const stop = () => setDoing(undefined);
  useShortcuts([
    { key: 'e', does: 'edit as a new commit', needs: 'prompts:write', run: () => setDoing('edit') },
    { key: 'p', does: 'try it in the playground', run: () => go(at.playground({ prompt: name, commit })) },
  ]);
  return (
    <Page
      title={name}
      above={[{ label: 'Prompts', target: at.prompts() }]}
      beside={<Badge>{is_public ? 'public' : 'private'}</Badge>}
      actions={
        <>
          <Button needs="prompts:write" onClick={() => go(at.playground({ prompt: name, commit }))}>
            <Icon name="play" /> Try it
          </Button>
          <Button look="main" needs="prompts:write" onClick={() => setDoing('edit')}>
            <Icon name="pen" /> Edit
          </Button>
          <Menu
            label="More actions"
            items={[
              { label: 'Change details', needs: 'prompts:write', onSelect: () => setDoing('details') },
              { label: 'Delete', danger: true, needs: 'prompts:admin', onSelect: () => setDoing('delete') },
            ]}
          />
        </>
      }
    >
      {description !== null && description !== '' && (
        <p className="mb-4 wrap-anywhere text-quiet">{description}</p>
      )}
      {num_commits === 0 ? (
        <Empty title="The prompt has no commit yet">
          <p>Press “Edit” to write the first, or push it:</p>
          <Snippet label="Push it (Python)" text={pushLines(name)} />
        </Empty>
      ) : (
        <Commits prompt={prompt} />
      )}
      {doing === 'edit' && <EditCommit prompt={prompt} commit={commit} onClose={stop} />}
      {doing === 'details' && <EditDetails prompt={prompt} onClose={stop} />}
      <DeletePrompt
        prompt={doing === 'delete' ? prompt : undefined}
        onClose={stop}
        onDone={() => go(at.prompts(), { replace: true })}
      />
    </Page>
  );
}

function Commits({ prompt }: { readonly prompt: Prompt }) {
  const { repo_handle: name, readme, last_commit_hash } = prompt;
  const { commit = 'latest', against } = useSearch({ strict: false });
  const commits = useInfiniteQuery(commitsQuery(name));
  const tags = useQuery(tagsQuery(name)).data ?? [];
  const all = commits.data?.pages.flatMap((page) => page.commits) ?? [];
  const hash =
    commit === 'latest'
      ? (last_commit_hash ?? undefined)
      : (tags.find(({ tag_name }) => tag_name === commit)?.commit_hash ??
        all.find(({ commit_hash }) => commit_hash.startsWith(commit))?.commit_hash);
  const named = commit === 'latest' ? name : `${name}:${commit}`;
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
      <Answer of={commits}>
        {() => (
          <CommitList
            prompt={name}
            commits={all}
            tags={tags}
            chosen={hash}
            end={
              <NextPageButton of={commits} small className="mt-4">
                Older commits
              </NextPageButton>
            }
          />
        )}
      </Answer>
      <div className="flex min-w-0 flex-col gap-4">
        {against === undefined ? (
          <CommitView prompt={name} commit={commit} commits={all} />
        ) : (
          <CommitDiff prompt={name} commit={commit} against={against} />
        )}
        {readme !== null && readme !== '' && (
          <Card title="README">
            <Markdown text={readme} />
          </Card>
        )}
        <Card title="Use it in a program">
          <div className="flex flex-col gap-3">
            <Snippet label="Pull it (Python)" text={pullPython(named)} />
            <Snippet label="Pull it (TypeScript)" text={pullTypeScript(named)} />
          </div>
        </Card>
      </div>
    </div>
  );
}
