import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Assistant, assistantsQuery } from '../../api/agent-threads.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { GoTo } from '../../ui/link.tsx';
import { Ago } from '../../ui/time.tsx';
import { AssistantDetail } from './assistant-detail.tsx';
import { AssistantForm } from './assistant-form.tsx';
import { TalkFrame } from './talk-frame.tsx';
import { useTalk } from './talk-address.ts';

/** The assistants of a deployment: graphs with a configuration, in versions. */
export function AssistantsPage() {
  const { slug, search } = useTalk();
  const go = useGo();
  const [isNew, setNew] = useState(false);
  const assistants = useQuery(assistantsQuery(slug));
  const chosen = assistants.data?.find(({ assistant_id }) => assistant_id === search.assistant);
  const show = (assistant?: string) => go(at.talkPart(slug, 'assistants', { assistant }));
  useShortcuts([{ key: 'n', does: 'Create an assistant', needs: 'agents:invoke', run: () => setNew(true) }]);
  return (
    <TalkFrame
      slug={slug}
      title="Assistants"
      actions={
        <Button look="main" needs="agents:invoke" onClick={() => setNew(true)}>
          <Icon name="plus" /> New assistant
        </Button>
      }
    >
      <Answer of={assistants}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="This deployment has no assistant">Deploy a project with a graph in it.</Empty>
          ) : (
            <div className="flex min-h-0 flex-1">
              <div className={`flex min-w-0 flex-1 flex-col ${chosen === undefined ? '' : 'max-lg:hidden'}`}>
                <DataTable
                  label="Assistants"
                  rows={all}
                  columns={columnsFor(slug)}
                  keyOf={({ assistant_id }) => assistant_id}
                  selected={search.assistant}
                  targetOf={({ assistant_id }) =>
                    at.talkPart(slug, 'assistants', { assistant: assistant_id })
                  }
                />
              </div>
              {chosen !== undefined && (
                <AssistantDetail
                  key={chosen.assistant_id}
                  slug={slug}
                  assistant={chosen}
                  onClose={() => show()}
                />
              )}
            </div>
          )
        }
      </Answer>
      {isNew && (
        <AssistantForm
          slug={slug}
          graphs={[...new Set((assistants.data ?? []).map(({ graph_id }) => graph_id))]}
          onClose={() => setNew(false)}
          onSaved={({ assistant_id }) => show(assistant_id)}
        />
      )}
    </TalkFrame>
  );
}

const columnsFor = (slug: string): readonly Column<Assistant>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(10rem, 2fr)',
    sort: ({ name }) => name,
    cell: ({ name, assistant_id }) => (
      <GoTo
        target={at.talkPart(slug, 'assistants', { assistant: assistant_id })}
        className="font-medium hover:underline"
      >
        {name}
      </GoTo>
    ),
  },
  { id: 'graph', header: 'Graph', sort: ({ graph_id }) => graph_id, cell: ({ graph_id }) => graph_id },
  {
    id: 'version',
    header: 'Version',
    width: '5rem',
    align: 'right',
    sort: ({ version }) => version,
    cell: ({ version }) => version,
  },
  {
    id: 'changed',
    header: 'Changed',
    width: '8rem',
    sort: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <Ago at={updated_at} />,
  },
];
