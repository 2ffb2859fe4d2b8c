import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import type { Dataset } from '../../api/datasets.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';
import type { ComparedRow } from './compare-rules.ts';
import { useCompareChange, useCompareSearch } from './dataset-search.ts';
import { Choice } from './examples-toolbar.tsx';
import type { Experiment } from './experiment-queries.ts';
import { PairReview } from './pair-review.tsx';

interface PairsProps {
  readonly dataset: Dataset;
  readonly experiments: readonly Experiment[];
  readonly rows: readonly ComparedRow[];
}

const comparisonsQuery = (dataset_id: string) =>
  queryOptions({
    queryKey: ['experiments', 'comparisons', dataset_id],
    queryFn: ({ signal }) => traces.listComparativeExperiments({ params: { dataset_id }, query: {}, signal }),
  });

/** Chooses the better of two, example by example, within a comparison that the API keeps. */
export function Pairs({ dataset, experiments, rows }: PairsProps) {
  const { comparison } = useCompareSearch();
  const comparisons = useQuery(comparisonsQuery(dataset.id));
  const [dialog, setDialog] = useState<'create' | 'delete'>();
  const ids = experiments.map(({ id }) => id);
  return (
    <Answer of={comparisons}>
      {(all) => {
        const ours = all.filter(({ experiments_info }) =>
          ids.every((id) => experiments_info.some((one) => one.id === id)),
        );
        const open = ours.find(({ id }) => id === comparison) ?? ours[0];
        return (
          <>
            <PairsBar all={ours} open={open} onDialog={setDialog} />
            {open === undefined ? (
              <Empty title="These two were not compared yet">
                <p>
                  Press <b>New comparison</b>, then choose the better answer of each example with the arrow
                  keys.
                </p>
              </Empty>
            ) : (
              <PairReview
                key={open.id}
                comparison={open.id}
                dataset={dataset.id}
                experiments={experiments}
                rows={rows}
              />
            )}
            {dialog === 'create' && (
              <NewComparison
                dataset={dataset.id}
                experiments={experiments}
                onClose={() => setDialog(undefined)}
              />
            )}
            {dialog === 'delete' && open && (
              <DeleteComparison
                id={open.id}
                name={open.name ?? open.id}
                onClose={() => setDialog(undefined)}
              />
            )}
          </>
        );
      }}
    </Answer>
  );
}

interface PairsBarProps {
  readonly all: readonly { readonly id: string; readonly name: string | null }[];
  readonly open: { readonly id: string } | undefined;
  readonly onDialog: (dialog: 'create' | 'delete') => void;
}

/** Chooses among the comparisons of the two. */
function PairsBar({ all, open, onDialog }: PairsBarProps) {
  const change = useCompareChange();
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-card px-4 py-2">
      <Button look="quiet" onClick={() => change({ view: undefined })}>
        Back to side by side
      </Button>
      {open && (
        <Choice
          label="Comparison"
          value={open.id}
          onChange={(value) => change({ comparison: value })}
          options={all.map(({ id, name }) => [id, name ?? id] as const)}
        />
      )}
      <Button needs="datasets:write" className="ml-auto" onClick={() => onDialog('create')}>
        New comparison
      </Button>
      {open && (
        <Button look="danger" needs="datasets:admin" onClick={() => onDialog('delete')}>
          Delete
        </Button>
      )}
    </div>
  );
}

interface NewComparisonProps {
  readonly dataset: string;
  readonly experiments: readonly Experiment[];
  readonly onClose: () => void;
}

function NewComparison({ dataset, experiments, onClose }: NewComparisonProps) {
  const [name, setName] = useState(experiments.map((one) => one.name).join(' or '));
  const [client, change] = [useQueryClient(), useCompareChange()];
  const create = async () => {
    const { id } = await traces.createComparativeExperiment({
      body: { name, experiment_ids: experiments.map((one) => one.id), reference_dataset_id: dataset },
    });
    await client.invalidateQueries({ queryKey: ['experiments', 'comparisons', dataset] });
    say({ text: 'Began the comparison.' });
    change({ comparison: id });
  };
  return (
    <FormDialog title="New comparison" submit="Begin" isOpen onClose={onClose} onSubmit={create}>
      <TextField label="Name" required value={name} onChange={({ target }) => setName(target.value)} />
    </FormDialog>
  );
}

interface DeleteComparisonProps {
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}

function DeleteComparison({ id, name, onClose }: DeleteComparisonProps) {
  const [client, change] = [useQueryClient(), useCompareChange()];
  const remove = async () => {
    await traces.deleteComparativeExperiment({ params: { comparative_experiment_id: id } });
    change({ comparison: undefined });
    await client.invalidateQueries({ queryKey: ['experiments'] });
    say({ text: 'Deleted the comparison.' });
  };
  return (
    <FormDialog title={`Delete ${name}?`} submit="Delete" danger isOpen onClose={onClose} onSubmit={remove}>
      <p>The comparison goes with what was chosen in it. The experiments stay.</p>
    </FormDialog>
  );
}
