import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Assistant } from '../../api/agent-threads.ts';
import { agentAt } from '../../api/clients.ts';
import { queryClient } from '../../api/query-client.ts';
import { at } from '../../router/addresses.ts';
import { Answer } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { GoTo } from '../../ui/link.tsx';
import { NextPageButton } from '../../ui/next-page.tsx';
import { Facts } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { AssistantForm } from './assistant-form.tsx';

interface AssistantDetailProps {
  readonly slug: string;
  readonly assistant: Assistant;
  readonly onClose: () => void;
}

type Dialog = 'edit' | 'delete' | undefined;

/** One assistant: what it is made of, and its versions. */
export function AssistantDetail({ slug, assistant, onClose }: AssistantDetailProps) {
  const [dialog, setDialog] = useState<Dialog>();
  const { assistant_id, name, description, graph_id, config, context, metadata } = assistant;
  const remove = async () => {
    await agentAt(slug).deleteAssistant({ params: { assistant_id } });
    onClose();
    say({ text: `${name} is deleted.` });
    await queryClient.invalidateQueries({ queryKey: ['assistants', slug] });
  };
  return (
    <aside
      aria-label={name}
      className="flex w-full shrink-0 flex-col gap-4 overflow-y-auto border-l border-line bg-card p-4 lg:w-[28rem]"
    >
      <div className="flex items-center gap-2">
        <h2 className="min-w-0 truncate text-base font-semibold">{name}</h2>
        <Button small look="quiet" className="ml-auto" aria-label="Close this side" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <GoTo target={at.talk(slug, { assistant: assistant_id })}>Talk to it</GoTo>
        <Button small needs="agents:invoke" onClick={() => setDialog('edit')}>
          Edit
        </Button>
        <Button small look="danger" needs="agents:invoke" onClick={() => setDialog('delete')}>
          Delete
        </Button>
      </div>
      {description !== null && <p className="text-quiet">{description}</p>}
      <Facts
        facts={[
          ['Graph', graph_id],
          [
            'Id',
            <span key="id" className="inline-flex items-center gap-1 font-mono text-xs wrap-anywhere">
              {assistant_id} <CopyButton text={assistant_id} label="Copy the id" />
            </span>,
          ],
        ]}
      />
      <JsonView value={{ config, context, metadata }} label="configuration" open={3} />
      <Versions slug={slug} assistant={assistant} />
      {dialog === 'edit' && (
        <AssistantForm
          slug={slug}
          graphs={[graph_id]}
          assistant={assistant}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'delete' && (
        <FormDialog
          title={`Delete ${name}`}
          submit="Delete"
          danger
          isOpen
          onClose={() => setDialog(undefined)}
          onSubmit={remove}
        >
          <p>Its versions, its runs and its crons go with it; its threads stay.</p>
        </FormDialog>
      )}
    </aside>
  );
}

const MOST = 50;

function Versions({ slug, assistant }: Omit<AssistantDetailProps, 'onClose'>) {
  const { assistant_id, version: latest } = assistant;
  const versions = useInfiniteQuery({
    queryKey: ['assistants', slug, assistant_id, 'versions', latest],
    queryFn: ({ signal, pageParam }) =>
      agentAt(slug).listAssistantVersions({
        params: { assistant_id },
        body: { limit: MOST, offset: pageParam },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.length < MOST ? undefined : all.flat().length),
  });
  const setLatest = async (version: number) => {
    await agentAt(slug).setLatestVersion({ params: { assistant_id }, body: { version } });
    await queryClient.invalidateQueries({ queryKey: ['assistants', slug] });
    say({ text: `Version ${version} runs from now on.` });
  };
  return (
    <section aria-label="Versions" className="flex flex-col gap-1">
      <h3 className="font-semibold">Versions</h3>
      <Answer of={versions}>
        {({ pages }) => (
          <ol className="divide-y divide-line">
            {pages.flat().map(({ version, created_at, config, context, name }) => (
              <li key={version} className="flex flex-col gap-1 py-2">
                <div className="flex flex-wrap items-center gap-2">
                  <span className="font-medium">Version {version}</span>
                  <span className="text-xs text-quiet">
                    {name}, <Ago at={created_at} />
                  </span>
                  {version === latest ? (
                    <Badge tone="good">runs</Badge>
                  ) : (
                    <Button
                      small
                      needs="agents:invoke"
                      className="ml-auto"
                      onClick={() =>
                        void setLatest(version).catch((error: unknown) =>
                          say({
                            kind: 'error',
                            text: error instanceof Error ? error.message : String(error),
                          }),
                        )
                      }
                    >
                      Run version {version}
                    </Button>
                  )}
                </div>
                <JsonView value={{ config, context }} label={`version ${version}`} open={0} />
              </li>
            ))}
          </ol>
        )}
      </Answer>
      <NextPageButton of={versions} small>
        Show earlier versions
      </NextPageButton>
    </section>
  );
}
