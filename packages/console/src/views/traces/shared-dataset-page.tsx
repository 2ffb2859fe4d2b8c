import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { openTraces } from '../../api/open-client.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { endOf } from '../../ui/next-page.tsx';
import { Page } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';

type Example = Awaited<ReturnType<typeof openTraces.listSharedExamples>>[number];

const PAGE = 100;
const SEEN = 300;
const short = (value: unknown) => (JSON.stringify(value) ?? '').slice(0, SEEN);

const columns: readonly Column<Example>[] = [
  {
    id: 'inputs',
    header: 'Input',
    width: 'minmax(10rem, 2fr)',
    cell: ({ inputs }) => short(inputs),
  },
  {
    id: 'outputs',
    header: 'Output',
    width: 'minmax(10rem, 2fr)',
    cell: ({ outputs }) => short(outputs),
  },
  {
    id: 'at',
    header: 'Changed',
    width: '8rem',
    cell: ({ modified_at }) => <Ago at={modified_at} />,
  },
];

/** A dataset that is shared by link. */
export function SharedDatasetPage() {
  const { token = '' } = useParams({ strict: false });
  const params = { share_token: token };
  const dataset = useQuery({
    queryKey: ['shared-dataset', token],
    queryFn: ({ signal }) => openTraces.readSharedDataset({ params, signal }),
  });
  const examples = useInfiniteQuery({
    queryKey: ['shared-examples', token],
    queryFn: ({ pageParam, signal }) =>
      openTraces.listSharedExamples({ params, query: { limit: PAGE, offset: pageParam }, signal }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length * PAGE),
  });
  const [open, setOpen] = useState<Example>();
  return (
    <Page title={dataset.data?.name ?? 'Shared dataset'} filled>
      <Answer of={examples}>
        {({ pages }) => {
          const rows = pages.flat();
          return rows.length === 0 ? (
            <Empty title="The dataset has no examples" />
          ) : (
            <DataTable
              label="Examples"
              rows={rows}
              keyOf={({ id }) => id}
              onOpen={setOpen}
              {...endOf(examples)}
              columns={columns}
            />
          );
        }}
      </Answer>
      <Dialog
        title={open?.name ?? 'Example'}
        isOpen={open !== undefined}
        onClose={() => setOpen(undefined)}
        wide
      >
        <div className="flex flex-col gap-4">
          <JsonView value={open?.inputs} label="Input" />
          <JsonView value={open?.outputs} label="Output" />
          <JsonView value={open?.metadata} label="Metadata" />
        </div>
      </Dialog>
    </Page>
  );
}
