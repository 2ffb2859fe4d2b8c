import { useQuery } from '@tanstack/react-query';
import { commitQuery, type PromptCommit } from '../../api/prompts.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer } from '../../ui/answers.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Card } from '../../ui/page.tsx';
import { Tag } from '../../ui/status.tsx';
import {
  type EditablePrompt,
  type PromptEntry,
  readManifest,
  variablesOf,
} from '../../words/prompt-rules.ts';

interface CommitViewProps {
  readonly prompt: string;
  readonly commit: string;
  readonly commits: readonly PromptCommit[];
}

/** What a commit says, and a way to compare it with another. */
export function CommitView({ prompt, commit, commits }: CommitViewProps) {
  const found = useQuery(commitQuery(prompt, commit));
  return (
    <Answer of={found}>
      {({ manifest, commit_hash }) => (
        <Card
          title={`Commit ${commit_hash.slice(0, 8)}`}
          actions={
            <CompareWith
              prompt={prompt}
              commit={commit}
              commits={commits.filter((one) => one.commit_hash !== commit_hash)}
            />
          }
        >
          <Manifest manifest={manifest} />
        </Card>
      )}
    </Answer>
  );
}

function CompareWith({ prompt, commit, commits }: CommitViewProps) {
  const go = useGo();
  if (commits.length === 0) return null;
  return (
    <select
      aria-label="Compare with"
      value=""
      className="min-h-7 w-44 rounded-md border border-line bg-card px-2 text-xs"
      onChange={({ target }) => go({ ...at.prompt(prompt), search: { commit, against: target.value } })}
    >
      <option value="">Compare with …</option>
      {commits.map(({ commit_hash, description }) => (
        <option key={commit_hash} value={commit_hash.slice(0, 8)}>
          {commit_hash.slice(0, 8)} {description?.slice(0, 40)}
        </option>
      ))}
    </select>
  );
}

function Manifest({ manifest }: { readonly manifest: unknown }) {
  const read = readManifest(manifest);
  if (read === undefined) return <JsonView value={manifest} label="Manifest" />;
  return (
    <div className="flex flex-col gap-3">
      <Variables prompt={read} />
      <ol className="flex flex-col gap-3">
        {read.entries.map((entry, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a message is what stands at its place
          <li key={index}>
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
      {read.schema !== undefined && <JsonView value={read.schema} label="Schema of the answer" />}
    </div>
  );
}

function Variables({ prompt: { entries, format } }: { readonly prompt: EditablePrompt }) {
  const names = variablesOf(entries, format);
  if (names.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-1.5 text-xs text-quiet">
      Variables
      {names.map(({ name }) => (
        <Tag key={name}>{name}</Tag>
      ))}
      <span>written as {format}</span>
    </p>
  );
}

function Entry({ entry }: { readonly entry: PromptEntry }) {
  if (entry.kind === 'placeholder')
    return (
      <p className="rounded-md border border-dashed border-line px-3 py-2 wrap-anywhere text-quiet">
        The messages of <code>{entry.name}</code>
        {entry.is_optional && ', if there are any'}
      </p>
    );
  if (entry.kind === 'kept') return <JsonView value={entry.value} label="Message" open={1} />;
  return (
    <section className="rounded-md border border-line">
      <header className="flex items-center justify-between border-b border-line px-3 py-1 text-xs font-medium wrap-anywhere text-quiet">
        {entry.role}
        <CopyButton text={entry.text} label={`Copy the ${entry.role} message`} />
      </header>
      <p className="px-3 py-2 font-mono text-xs leading-relaxed wrap-anywhere whitespace-pre-wrap">
        {entry.text}
      </p>
    </section>
  );
}
