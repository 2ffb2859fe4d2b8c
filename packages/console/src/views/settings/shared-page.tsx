import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { Tag } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { offsetList } from './endless-list.ts';
import { EndlessTable } from './endless-table.tsx';
import { useChange } from './use-change.ts';

type SharedLink = Awaited<ReturnType<typeof traces.listSharedLinks>>['entities'][number];

const sharedQuery = offsetList(
  ['shared-links'],
  async (call) => (await traces.listSharedLinks(call)).entities,
);

const words: Readonly<Record<SharedLink['type'], string>> = {
  run: 'trace',
  dataset: 'dataset',
  thread: 'thread',
};
const nameOf = ({ run_name, dataset_name, thread_id, share_token }: SharedLink) =>
  run_name ?? dataset_name ?? thread_id ?? share_token;
const addressOf = ({ type, share_token }: SharedLink) =>
  `${location.origin}/public/${share_token}/${type === 'dataset' ? 'd' : 'r'}`;

/** What anybody who has the address may read. */
export function SharedPage() {
  const [stopped, setStopped] = useState<SharedLink | 'all'>();
  return (
    <Page
      title="Shared links"
      filled
      actions={
        <Button look="danger" needs="traces:admin" onClick={() => setStopped('all')}>
          Stop sharing all
        </Button>
      }
    >
      <EndlessTable
        label="Links"
        of={sharedQuery}
        columns={columns(setStopped)}
        keyOf={({ share_token }) => share_token}
        empty={
          <Empty title="Nothing is shared">
            <p>
              A trace, a thread or a dataset that is shared by link can be read by anybody who has its
              address.
            </p>
          </Empty>
        }
      />
      {stopped && <StopSharing link={stopped} onClose={() => setStopped(undefined)} />}
    </Page>
  );
}

const columns = (stop: (link: SharedLink) => void): readonly Column<SharedLink>[] => [
  { id: 'type', header: 'Kind', width: '5rem', cell: ({ type }) => <Tag>{words[type]}</Tag> },
  { id: 'name', header: 'Name', width: 'minmax(8rem, 1.5fr)', cell: nameOf, sort: nameOf },
  {
    id: 'project',
    header: 'Project',
    width: 'minmax(7rem, 1fr)',
    cell: ({ session_name }) => session_name ?? <span className="text-quiet">none</span>,
  },
  {
    id: 'address',
    header: 'Address',
    width: 'minmax(11rem, 2fr)',
    cell: (link) => (
      <span className="flex items-center gap-1">
        <code className="truncate text-xs">{addressOf(link)}</code>
        <CopyButton text={addressOf(link)} label={`Copy the address of ${nameOf(link)}`} />
      </span>
    ),
  },
  { id: 'since', header: 'Since', width: '6rem', cell: ({ created_at }) => <Ago at={created_at} /> },
  {
    id: 'actions',
    header: '',
    width: '8rem',
    cell: (link) => (
      <Button
        small
        look="danger"
        needs="traces:admin"
        aria-label={`Stop sharing ${nameOf(link)}`}
        onClick={() => stop(link)}
      >
        Stop sharing
      </Button>
    ),
  },
];

interface StopSharingProps {
  readonly link: SharedLink | 'all';
  readonly onClose: () => void;
}

function StopSharing({ link, onClose }: StopSharingProps) {
  const change = useChange();
  const what = link === 'all' ? 'everything' : nameOf(link);
  return (
    <FormDialog
      title={`Stop sharing ${what}?`}
      isOpen
      danger
      submit="Stop sharing"
      onClose={onClose}
      onSubmit={async () => {
        const body = link === 'all' ? { unshare_all: true } : { share_tokens: [link.share_token] };
        await traces.deleteSharedLinks({ body });
        await change({
          said: link === 'all' ? 'Nothing is shared any longer.' : `${what} is no longer shared.`,
          changes: [['shared-links']],
        });
      }}
    >
      <p>The address leads nowhere from now on. Sharing it again makes another one.</p>
    </FormDialog>
  );
}
