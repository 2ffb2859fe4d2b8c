import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { openTraces } from '../../api/open-client.ts';
import { useGo } from '../../router/go.ts';
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
  const { example } = useSearch({ strict: false });
  const go = useGo();
  const show = (id: string | undefined) =>
    go({ to: '/public/$token/d', params: { token }, search: { example: id } });
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
              onOpen={({ id }) => show(id)}
              {...endOf(examples)}
              columns={columns}
            />
          );
        }}
      </Answer>
      {example !== undefined && (
        <Dialog title="Example" isOpen onClose={() => show(undefined)} wide>
          <ExampleValues token={token} example={example} />
        </Dialog>
      )}
    </Page>
  );
}

function ExampleValues({ token, example }: { readonly token: string; readonly example: string }) {
  const found = useQuery({
    queryKey: ['shared-example', token, example],
    queryFn: async ({ signal }) => {
      const query = { id: [example] };
      const [one] = await openTraces.listSharedExamples({ params: { share_token: token }, query, signal });
      return one ?? null;
    },
  });
  return (
    <Answer of={found}>
      {(one) =>
        one === null ? (
          <p className="text-quiet">The dataset has no such example.</p>
        ) : (
          <div className="flex flex-col gap-4">
            {one.name !== '' && <p className="wrap-anywhere text-quiet">{one.name}</p>}
            <JsonView value={one.inputs} label="Input" />
            <JsonView value={one.outputs} label="Output" />
            <JsonView value={one.metadata} label="Metadata" />
          </div>
        )
      }
    </Answer>
  );
}
