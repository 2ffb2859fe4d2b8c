import { type ReactNode, useState } from 'react';
import type { PromptCommit, PromptTag } from '../../api/prompts.ts';
import { at } from '../../router/addresses.ts';
import { GoTo } from '../../ui/link.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Card } from '../../ui/page.tsx';
import { Badge, Tag } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { RemoveTag, TagCommit } from './tag-commit.tsx';

interface CommitListProps {
  readonly prompt: string;
  readonly commits: readonly PromptCommit[];
  readonly tags: readonly PromptTag[];
  readonly chosen: string | undefined;
  /** What asks for older ones. */
  readonly end: ReactNode;
}

export function CommitList({ prompt, commits, tags, chosen, end }: CommitListProps) {
  const [tagging, setTagging] = useState<PromptCommit>();
  const [leaving, setLeaving] = useState<PromptTag>();
  return (
    <Card title="Commits">
      <ol className="-m-2 flex flex-col gap-1" aria-label="Commits">
        {commits.map((commit, index) => (
          <CommitRow
            key={commit.id}
            prompt={prompt}
            commit={commit}
            tags={tags.filter(({ commit_id }) => commit_id === commit.id)}
            chosen={chosen}
            isLatest={index === 0}
            onTag={() => setTagging(commit)}
            onRemoveTag={setLeaving}
          />
        ))}
      </ol>
      {end}
      {tagging !== undefined && (
        <TagCommit prompt={prompt} commit={tagging} tags={tags} onClose={() => setTagging(undefined)} />
      )}
      {leaving !== undefined && (
        <RemoveTag prompt={prompt} tag={leaving} onClose={() => setLeaving(undefined)} />
      )}
    </Card>
  );
}

interface CommitRowProps {
  readonly prompt: string;
  readonly commit: PromptCommit;
  readonly tags: readonly PromptTag[];
  readonly chosen: string | undefined;
  readonly isLatest: boolean;
  readonly onTag: () => void;
  readonly onRemoveTag: (tag: PromptTag) => void;
}

function CommitRow({ prompt, commit, tags, chosen, isLatest, onTag, onRemoveTag }: CommitRowProps) {
  const { commit_hash, description, created_at } = commit;
  const short = commit_hash.slice(0, 8);
  const isChosen = commit_hash === chosen;
  return (
    <li className={`flex items-start gap-2 rounded-md p-2 ${isChosen ? 'bg-accent-soft' : ''}`}>
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span className="flex flex-wrap items-center gap-1.5">
          <GoTo
            target={at.prompt(prompt, { commit: short })}
            aria-current={isChosen ? 'true' : undefined}
            className="font-mono text-xs font-medium text-accent hover:underline"
          >
            {short}
          </GoTo>
          {isLatest && <Badge tone="good">latest</Badge>}
          {tags.map(({ id, tag_name }) => (
            <Tag key={id}>{tag_name}</Tag>
          ))}
        </span>
        {description !== null && <span className="wrap-anywhere">{description}</span>}
        <span className="text-xs text-quiet">
          <Ago at={created_at} />
        </span>
      </div>
      <Menu
        label={`Actions of ${short}`}
        items={[
          { label: 'Set a tag', needs: 'prompts:write', onSelect: onTag },
          ...tags.map((tag) => ({
            label: `Remove the tag ${tag.tag_name}`,
            needs: 'prompts:write' as const,
            onSelect: () => onRemoveTag(tag),
          })),
        ]}
      />
    </li>
  );
}
