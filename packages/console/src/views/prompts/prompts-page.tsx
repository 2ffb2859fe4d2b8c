import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { type Prompt, promptsQuery } from '../../api/prompts.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { Snippet } from '../../ui/copy.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { GoTo } from '../../ui/link.tsx';
import { ListSearchBox } from '../../ui/list-search-box.tsx';
import { Menu } from '../../ui/menu.tsx';
import { endOf } from '../../ui/next-page.tsx';
import { Page } from '../../ui/page.tsx';
import { Tag } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { count } from '../../words/number-rules.ts';
import { DeletePrompt } from './delete-prompt.tsx';
import { NewPrompt } from './new-prompt.tsx';
import { pushLines } from './sdk-lines.ts';

export function PromptsPage() {
  const { words = '' } = useSearch({ strict: false });
  const go = useGo();
  const [isNew, setNew] = useState(false);
  const [leaving, setLeaving] = useState<Prompt>();
  const found = useInfiniteQuery({ ...promptsQuery(words), placeholderData: keepPreviousData });
  useShortcuts([{ key: 'n', does: 'a new prompt', needs: 'prompts:write', run: () => setNew(true) }]);
  const columns = useMemo(() => columnsOf(setLeaving), []);
  return (
    <Page
      title="Prompts"
      filled
      actions={
        <>
          <ListSearchBox
            label="Search prompts"
            value={words}
            onSearch={(next) => go({ ...at.prompts(), search: { words: next } }, { replace: true })}
          />
          <Button look="main" needs="prompts:write" onClick={() => setNew(true)}>
            <Icon name="plus" /> New prompt
          </Button>
        </>
      }
    >
      <Answer of={found}>
        {({ pages }) => {
          const rows = pages.flatMap(({ repos }) => repos);
          if (rows.length === 0) return <NoPrompts words={words} />;
          return (
            <DataTable
              label="Prompts"
              rows={rows}
              columns={columns}
              keyOf={({ id }) => id}
              targetOf={({ repo_handle }) => at.prompt(repo_handle)}
              {...endOf(found)}
            />
          );
        }}
      </Answer>
      <NewPrompt isOpen={isNew} onClose={() => setNew(false)} />
      <DeletePrompt prompt={leaving} onClose={() => setLeaving(undefined)} />
    </Page>
  );
}

const NoPrompts = ({ words }: { readonly words: string }) =>
  words === '' ? (
    <Empty title="There is no prompt yet">
      <p>Press “New prompt”, or push one from a program:</p>
      <Snippet label="Push a prompt (Python)" text={pushLines('support-answer')} />
    </Empty>
  ) : (
    <Empty title="No prompt has these words" />
  );

const columnsOf = (onDelete: (prompt: Prompt) => void): readonly Column<Prompt>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(9rem, 2fr)',
    sort: ({ repo_handle }) => repo_handle,
    cell: ({ repo_handle }) => (
      <GoTo target={at.prompt(repo_handle)} className="font-medium hover:underline">
        {repo_handle}
      </GoTo>
    ),
  },
  {
    id: 'description',
    header: 'Description',
    width: 'minmax(10rem, 3fr)',
    cell: ({ description }) => description ?? '',
  },
  {
    id: 'tags',
    header: 'Tags',
    width: 'minmax(8rem, 1fr)',
    cell: ({ commit_tags }) => (
      <span className="flex gap-1">
        {commit_tags.map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
      </span>
    ),
  },
  {
    id: 'commits',
    header: 'Commits',
    width: '5rem',
    align: 'right',
    sort: ({ num_commits }) => num_commits,
    cell: ({ num_commits }) => count(num_commits),
  },
  {
    id: 'who',
    header: 'Seen by',
    width: '6rem',
    cell: ({ is_public }) => (is_public ? 'everybody' : 'workspace'),
  },
  {
    id: 'changed',
    header: 'Changed',
    width: '7rem',
    sort: ({ updated_at }) => Date.parse(updated_at),
    cell: ({ updated_at }) => <Ago at={updated_at} />,
  },
  {
    id: 'actions',
    header: '',
    width: '3rem',
    cell: (prompt) => (
      <Menu
        label={`Actions of ${prompt.repo_handle}`}
        items={[{ label: 'Delete', danger: true, needs: 'prompts:admin', onSelect: () => onDelete(prompt) }]}
      />
    ),
  },
];
