import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { commitQuery, promptQuery } from '../../api/prompts.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { type EditablePrompt, readManifest } from '../../words/prompt-rules.ts';
import { Bench } from './bench.tsx';
import type { PromptSource } from './draft-rules.ts';
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
  const search = useSearch({ strict: false }) as PlaygroundSearch;
  const providers = useQuery(providersQuery);
  const { key, start, keepAt } = useStart(search);
  const go = useGo();
  const goToSaved = (saved: Pick<PlaygroundSearch, 'prompt' | 'commit'>) => {
    const next = { ...search, ...saved };
    keepAt(next);
    go({ ...at.playground(), search: next });
  };
  return (
    <Answer of={providers}>
      {(all) =>
        all.length === 0 ? (
          <WithoutProviders />
        ) : (
          <Answer of={start}>
            {({ from, of }) =>
              from === undefined ? (
                <WithoutMessages prompt={search.prompt} />
              ) : (
                <Bench key={key} providers={all} from={from} of={of} onSaved={goToSaved} />
              )
            }
          </Answer>
        )
      }
    </Answer>
  );
}

interface Start {
  /** Undefined where the prompt holds no messages. */
  readonly from: EditablePrompt | undefined;
  readonly of: PromptSource | undefined;
}

const addressOf = ({ prompt, commit = 'latest' }: PlaygroundSearch) =>
  prompt === undefined ? '' : `${prompt}:${commit}`;

/**
 * What the bench of an address begins with. The bench moves on to the address of a commit that was saved from it, and what it
 * began with stays until that commit is read.
 */
function useStart(search: PlaygroundSearch) {
  const address = addressOf(search);
  const read = useStartAt(search);
  const bench = useRef<{ readonly addresses: readonly string[]; readonly start: Start | undefined }>(
    undefined,
  );
  const isSame = bench.current?.addresses.includes(address) === true;
  const { addresses, start } = isSame && bench.current ? bench.current : { addresses: [address] };
  const data = read.data ?? start;
  bench.current = { addresses, start: data };
  return {
    key: addresses[0],
    start: { data, error: read.error },
    keepAt: (next: PlaygroundSearch) => {
      bench.current = { addresses: [...addresses, addressOf(next)], start: data };
    },
  };
}

function useStartAt({
  prompt,
  commit = 'latest',
}: PlaygroundSearch): Pick<UseQueryResult<Start>, 'data' | 'error'> {
  const enabled = prompt !== undefined;
  const repo = useQuery({ ...promptQuery(prompt ?? ''), enabled });
  const found = useQuery({ ...commitQuery(prompt ?? '', commit), enabled });
  if (prompt === undefined || repo.data?.num_commits === 0)
    return { data: { from: blank, of: undefined }, error: null };
  if (repo.data === undefined || found.data === undefined)
    return { data: undefined, error: found.error ?? repo.error };
  const { manifest, commit_hash: hash } = found.data;
  const of = { prompt, hash, manifest, latest: repo.data.last_commit_hash };
  return { data: { from: readManifest(manifest), of }, error: null };
}

const WithoutProviders = () => (
  <Page title="Playground">
    <p className="mx-auto w-full max-w-2xl px-4 pt-4">
      <GoTo target={at.settings('providers')}>Model providers</GoTo>
    </p>
    <NoProviders />
  </Page>
);

const WithoutMessages = ({ prompt }: { readonly prompt: string | undefined }) => (
  <Page title="Playground">
    <Empty title={`${prompt} holds no messages`}>
      <p>Only prompts with messages can be tried on a model.</p>
    </Empty>
  </Page>
);
