import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { commitQuery, promptQuery } from '../../api/prompts.ts';
import { at } from '../../router/addresses.ts';
import { Answer, Empty, Waiting } from '../../ui/answers.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { type EditablePrompt, readManifest } from '../../words/prompt-rules.ts';
import { Bench } from './bench.tsx';
import type { PlaygroundSearch } from './playground-search.ts';
import { NoProviders } from './providers-page.tsx';
import { providersQuery } from './providers.ts';

const blank: EditablePrompt = {
  entries: [{ kind: 'message', role: 'user', text: '' }],
  format: 'mustache',
  schema: undefined,
};

/** Tries messages, or a prompt, on a model. */
export function PlaygroundPage() {
  const { prompt, commit = 'latest' } = useSearch({ strict: false }) as PlaygroundSearch;
  const providers = useQuery(providersQuery);
  return (
    <Answer of={providers}>
      {(all) => {
        if (all.length === 0) return <WithoutProviders />;
        if (prompt === undefined) return <Bench key="" providers={all} from={blank} />;
        return <OfPrompt key={`${prompt}:${commit}`} prompt={prompt} commit={commit} providers={all} />;
      }}
    </Answer>
  );
}

const WithoutProviders = () => (
  <Page title="Playground">
    <p className="mx-auto w-full max-w-2xl px-4 pt-4">
      <GoTo target={at.settings('providers')}>Model providers</GoTo>
    </p>
    <NoProviders />
  </Page>
);

interface OfPromptProps {
  readonly prompt: string;
  readonly commit: string;
  readonly providers: Parameters<typeof Bench>[0]['providers'];
}

function OfPrompt({ prompt, commit, providers }: OfPromptProps) {
  const [repo, found] = [useQuery(promptQuery(prompt)), useQuery(commitQuery(prompt, commit))];
  if (repo.data?.num_commits === 0) return <Bench providers={providers} from={blank} />;
  return (
    <Answer of={found}>
      {({ manifest, commit_hash }) => {
        const from = readManifest(manifest);
        if (from === undefined)
          return (
            <Page title="Playground">
              <Empty title={`${prompt} holds no messages`}>
                <p>Only prompts with messages can be tried on a model.</p>
              </Empty>
            </Page>
          );
        if (repo.data === undefined) return <Waiting />;
        return (
          <Bench
            key={commit_hash}
            providers={providers}
            from={from}
            of={{ prompt, hash: commit_hash, manifest, latest: repo.data.last_commit_hash }}
          />
        );
      }}
    </Answer>
  );
}
