import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import type { Dataset } from '../../api/datasets.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { endOf } from '../../ui/next-page.tsx';
import { Snippet } from '../../ui/copy.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { say } from '../../ui/toasts.tsx';
import { experimentColumns } from './experiment-columns.tsx';
import { type Experiment, experimentsQuery } from './experiment-queries.ts';

/** The experiments on a dataset, to be compared. */
export function ExperimentsTab({ dataset }: { readonly dataset: Dataset }) {
  const experiments = useInfiniteQuery(experimentsQuery(dataset.id));
  const [marked, setMarked] = useState<readonly string[]>([]);
  const [removed, setRemoved] = useState<Experiment>();
  const [go, client] = [useGo(), useQueryClient()];
  const setBaseline = async ({ id, name }: Experiment) => {
    const params = { dataset_id: dataset.id };
    await traces.patchDataset({ params, body: { baseline_experiment_id: id } });
    await client.invalidateQueries({ queryKey: ['datasets'] });
    say({ text: `${name} is the baseline now.` });
  };
  return (
    <Answer of={experiments}>
      {(all) =>
        all.length === 0 ? (
          <NoExperiments dataset={dataset} />
        ) : (
          <>
            <div className="flex items-center gap-3 border-b border-line bg-card px-4 py-2">
              <span className="text-quiet">Mark two or more experiments to compare them.</span>
              <Button
                look="main"
                className="ml-auto"
                because={marked.length < 2 ? 'Mark at least two experiments' : undefined}
                onClick={() => go(at.experiments(dataset.id, { experiments: marked }))}
              >
                Compare {marked.length > 0 ? marked.length : ''}
              </Button>
            </div>
            <DataTable
              label="Experiments"
              rows={all}
              columns={[
                markColumn(marked, setMarked),
                ...experimentColumns(dataset),
                actionsColumn({ setBaseline, setRemoved }),
              ]}
              keyOf={({ id }) => id}
              targetOf={({ id }) => at.experiments(dataset.id, { experiments: [id] })}
              row_height={44}
              {...endOf(experiments)}
            />
            {removed && <DeleteExperiment experiment={removed} onClose={() => setRemoved(undefined)} />}
          </>
        )
      }
    </Answer>
  );
}

interface Actions {
  readonly setBaseline: (experiment: Experiment) => Promise<void>;
  readonly setRemoved: (experiment: Experiment) => void;
}

const actionsColumn = ({ setBaseline, setRemoved }: Actions): Column<Experiment> => ({
  id: 'actions',
  header: '',
  width: '3rem',
  cell: (experiment) => (
    <Menu
      label={`Actions on ${experiment.name}`}
      items={[
        {
          label: 'Make it the baseline',
          needs: 'datasets:write',
          onSelect: () =>
            void setBaseline(experiment).catch((error: Error) => say({ kind: 'error', text: error.message })),
        },
        { label: 'Delete', danger: true, needs: 'traces:admin', onSelect: () => setRemoved(experiment) },
      ]}
    />
  ),
});

const markColumn = (
  marked: readonly string[],
  setMarked: (marked: readonly string[]) => void,
): Column<Experiment> => ({
  id: 'mark',
  header: '',
  width: '1.5rem',
  cell: ({ id, name }) => (
    <input
      type="checkbox"
      aria-label={`Compare ${name}`}
      checked={marked.includes(id)}
      onChange={({ target }) =>
        setMarked(target.checked ? [...marked, id] : marked.filter((one) => one !== id))
      }
      className="size-4 align-middle accent-accent"
    />
  ),
});

interface DeleteExperimentProps {
  readonly experiment: Experiment;
  readonly onClose: () => void;
}

function DeleteExperiment({ experiment: { id, name }, onClose }: DeleteExperimentProps) {
  const client = useQueryClient();
  const remove = async () => {
    await traces.deleteSession({ params: { session_id: id } });
    await client.invalidateQueries({ queryKey: ['experiments'] });
    await client.invalidateQueries({ queryKey: ['datasets'] });
    say({ text: `Deleted the experiment ${name}.` });
  };
  return (
    <FormDialog title={`Delete ${name}?`} submit="Delete" danger isOpen onClose={onClose} onSubmit={remove}>
      <p>The experiment goes with its runs and their feedback. This can’t be undone.</p>
    </FormDialog>
  );
}

const NoExperiments = ({ dataset: { name } }: { readonly dataset: Dataset }) => (
  <Empty title="There are no experiments yet">
    <p>An experiment runs an agent on each example and scores what comes out:</p>
    <Snippet
      label="An experiment by the SDK"
      text={`from langsmith import Client\n\ndef target(inputs: dict) -> dict:\n    return {"answer": my_agent(inputs["question"])}\n\ndef exact(outputs: dict, reference_outputs: dict) -> bool:\n    return outputs["answer"] == reference_outputs["answer"]\n\nclient = Client(api_url="${location.origin}/api", api_key="YOUR_KEY")\nclient.evaluate(target, data=${JSON.stringify(name)}, evaluators=[exact])`}
    />
  </Empty>
);
