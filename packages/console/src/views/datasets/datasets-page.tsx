import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Dataset, datasetsQuery } from '../../api/datasets.ts';
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
import { Ago } from '../../ui/time.tsx';
import { count } from '../../words/number-rules.ts';
import { DatasetDialogs, type DatasetDialog } from './dataset-dialogs.tsx';
import { useDatasetsSearch } from './dataset-search.ts';
import { FileDrop } from './file-drop.tsx';

/** All datasets: searched, made, imported from files, renamed, shared and deleted. */
export function DatasetsPage() {
  const { q = '' } = useDatasetsSearch();
  const go = useGo();
  const datasets = useInfiniteQuery(datasetsQuery(q));
  const [dialog, setDialog] = useState<DatasetDialog>();
  useShortcuts([
    { key: 'n', does: 'Make a dataset', needs: 'datasets:write', run: () => setDialog({ kind: 'create' }) },
    { key: 'i', does: 'Import a file', needs: 'datasets:write', run: () => setDialog({ kind: 'import' }) },
  ]);
  return (
    <FileDrop onFile={(file) => setDialog({ kind: 'import', file })}>
      <Page
        title="Datasets"
        filled
        actions={
          <>
            <ListSearchBox
              label="Search datasets"
              value={q}
              onSearch={(words) => go({ ...at.datasets(), search: { q: words } }, { replace: true })}
            />
            <Button needs="datasets:write" onClick={() => setDialog({ kind: 'import' })}>
              Import a file
            </Button>
            <Button needs="datasets:write" look="main" onClick={() => setDialog({ kind: 'create' })}>
              <Icon name="plus" /> New dataset
            </Button>
          </>
        }
      >
        <Answer of={datasets}>
          {(all) =>
            all.length === 0 ? (
              <NoDatasets isSearch={q !== ''} />
            ) : (
              <DataTable
                label="Datasets"
                rows={all}
                columns={[...columns, actionsColumn(setDialog)]}
                keyOf={({ id }) => id}
                targetOf={({ id }) => at.dataset(id)}
                {...endOf(datasets)}
              />
            )
          }
        </Answer>
        {dialog && <DatasetDialogs dialog={dialog} onClose={() => setDialog(undefined)} />}
      </Page>
    </FileDrop>
  );
}

const columns: readonly Column<Dataset>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(10rem, 2fr)',
    sort: ({ name }) => name.toLowerCase(),
    cell: ({ id, name }) => (
      <GoTo target={at.dataset(id)} className="font-medium hover:underline">
        {name}
      </GoTo>
    ),
  },
  {
    id: 'description',
    header: 'Description',
    width: 'minmax(8rem, 3fr)',
    cell: ({ description }) => <span className="text-quiet">{description}</span>,
  },
  {
    id: 'examples',
    header: 'Examples',
    width: '5.5rem',
    align: 'right',
    sort: ({ example_count }) => example_count ?? 0,
    cell: ({ example_count }) => count(example_count ?? 0),
  },
  {
    id: 'experiments',
    header: 'Experiments',
    width: '6.5rem',
    align: 'right',
    sort: ({ session_count }) => session_count,
    cell: ({ id, session_count }) => (
      <GoTo target={at.dataset(id, { tab: 'experiments' })} className="hover:underline">
        {count(session_count)}
      </GoTo>
    ),
  },
  {
    id: 'changed',
    header: 'Changed',
    width: '7.5rem',
    sort: ({ modified_at }) => modified_at,
    cell: ({ modified_at }) => <Ago at={modified_at} />,
  },
];

const actionsColumn = (open: (dialog: DatasetDialog) => void): Column<Dataset> => ({
  id: 'actions',
  header: '',
  width: '3rem',
  cell: (dataset) => (
    <Menu
      label={`Actions on ${dataset.name}`}
      items={[
        {
          label: 'Rename or describe',
          needs: 'datasets:write',
          onSelect: () => open({ kind: 'rename', dataset }),
        },
        { label: 'Share', needs: 'datasets:admin', onSelect: () => open({ kind: 'share', dataset }) },
        {
          label: 'Delete',
          danger: true,
          needs: 'datasets:admin',
          onSelect: () => open({ kind: 'delete', dataset }),
        },
      ]}
    />
  ),
});

const NoDatasets = ({ isSearch }: { readonly isSearch: boolean }) =>
  isSearch ? (
    <Empty title="No dataset has this in its name">Search for fewer letters.</Empty>
  ) : (
    <Empty title="There are no datasets yet">
      <p>
        Drop a <code>.csv</code> or <code>.jsonl</code> file here, press <b>Import a file</b> or{' '}
        <b>New dataset</b>, or make one in Python:
      </p>
      <Snippet
        label="A dataset by the SDK"
        text={`from langsmith import Client\n\nclient = Client(api_url="${location.origin}/api", api_key="YOUR_KEY")\nclient.create_dataset("questions")\nclient.create_examples(\n    dataset_name="questions",\n    examples=[{"inputs": {"question": "Where is my order?"}, "outputs": {"answer": "On its way."}}],\n)`}
      />
    </Empty>
  );
