import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Dataset, datasetQuery } from '../../api/datasets.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer } from '../../ui/answers.tsx';
import { classes } from '../../ui/classes.ts';
import { GoTo } from '../../ui/link.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { count } from '../../words/number-rules.ts';
import { DatasetDialogs, type DatasetDialog } from './dataset-dialogs.tsx';
import { useDatasetId, useDatasetSearch } from './dataset-search.ts';
import { ExamplesTab } from './examples-tab.tsx';
import { ExperimentsTab } from './experiments-tab.tsx';
import { FileDrop } from './file-drop.tsx';

/** A dataset: its examples, and the experiments on them. */
export function DatasetPage() {
  const dataset = useQuery(datasetQuery(useDatasetId()));
  return <Answer of={dataset}>{(found) => <LoadedDataset dataset={found} />}</Answer>;
}

function LoadedDataset({ dataset }: { readonly dataset: Dataset }) {
  const { tab = 'examples' } = useDatasetSearch();
  const [dialog, setDialog] = useState<DatasetDialog>();
  const go = useGo();
  const open = (kind: 'rename' | 'share' | 'delete') => () => setDialog({ kind, dataset });
  return (
    <FileDrop onFile={(file) => setDialog({ kind: 'import', file, dataset })}>
      <Page
        title={dataset.name}
        above={[{ label: 'Datasets', target: at.datasets() }]}
        filled
        actions={
          <Menu
            label="Actions on the dataset"
            items={[
              { label: 'Rename or describe', needs: 'datasets:write', onSelect: open('rename') },
              { label: 'Share', needs: 'datasets:admin', onSelect: open('share') },
              { label: 'Delete', danger: true, needs: 'datasets:admin', onSelect: open('delete') },
            ]}
          />
        }
        tabs={
          <nav aria-label="Parts of the dataset" className="-mb-px flex gap-4">
            <Tab isOpen={tab === 'examples'} dataset={dataset.id} tab="examples">
              Examples {count(dataset.example_count ?? 0)}
            </Tab>
            <Tab isOpen={tab === 'experiments'} dataset={dataset.id} tab="experiments">
              Experiments {count(dataset.session_count)}
            </Tab>
          </nav>
        }
      >
        {dataset.description !== null && (
          <p className="border-b border-line bg-card px-4 py-2 wrap-anywhere text-quiet">
            {dataset.description}
          </p>
        )}
        {tab === 'examples' ? (
          <ExamplesTab dataset={dataset} onImport={() => setDialog({ kind: 'import', dataset })} />
        ) : (
          <ExperimentsTab dataset={dataset} />
        )}
        {dialog && (
          <DatasetDialogs
            dialog={dialog}
            onClose={() => setDialog(undefined)}
            onDeleted={() => go(at.datasets())}
          />
        )}
      </Page>
    </FileDrop>
  );
}

interface TabProps {
  readonly isOpen: boolean;
  readonly dataset: string;
  readonly tab: 'examples' | 'experiments';
  readonly children: React.ReactNode;
}

const Tab = ({ isOpen, dataset, tab, children }: TabProps) => (
  <GoTo
    target={at.dataset(dataset, { tab })}
    aria-current={isOpen ? 'page' : undefined}
    className={classes(
      'border-b-2 pb-1.5 whitespace-nowrap hover:text-ink',
      isOpen ? 'border-accent font-medium text-ink' : 'border-transparent text-quiet',
    )}
  >
    {children}
  </GoTo>
);
