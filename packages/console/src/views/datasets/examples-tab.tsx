import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Dataset } from '../../api/datasets.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { NextPageFailure, nextPageOf } from '../../ui/next-page.tsx';
import { mayDo } from '../../session/session.ts';
import { useShortcuts } from '../../ui/keys.ts';
import { count } from '../../words/number-rules.ts';
import { useDatasetChange, useDatasetSearch } from './dataset-search.ts';
import { ExamplePanel } from './example-panel.tsx';
import { exampleCountQuery, exampleQuery, examplesQuery } from './example-queries.ts';
import { ExamplesTable } from './examples-table.tsx';
import { ExamplesToolbar } from './examples-toolbar.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { HowToFill } from '../../ui/how-to-fill.tsx';
import { fillingLines } from '../../words/filling-lines.ts';

interface ExamplesTabProps {
  readonly dataset: Dataset;
  readonly onImport: () => void;
}

/** What the panel shows for an example that is not there yet. */
const NEW = 'new';

/** The examples of a version as a table, whose values are edited in place; the one that is open is edited as a whole beside it. */
export function ExamplesTab({ dataset, onImport }: ExamplesTabProps) {
  const { version, split, q, example } = useDatasetSearch();
  const change = useDatasetChange();
  const of = { dataset: dataset.id, version, split, words: q };
  const examples = useInfiniteQuery(examplesQuery(of));
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const open = (id: string | undefined) => change({ example: id }, { step: true });
  useShortcuts([
    { key: 'n', does: 'Add an example', needs: 'datasets:write', run: () => open(NEW) },
    { key: 'Escape', does: 'Close the example', run: () => open(undefined) },
  ]);
  const loaded = examples.data?.find(({ id }) => id === example);
  const isFar = examples.isSuccess && loaded === undefined && example !== undefined && example !== NEW;
  const far = useQuery({ ...exampleQuery(example ?? '', of), enabled: isFar });
  const shown = loaded ?? (isFar ? far.data : undefined);
  return (
    <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
      <div className="flex min-h-48 min-w-0 flex-1 flex-col">
        <ExamplesToolbar dataset={dataset} onImport={onImport} onAdd={() => open(NEW)} />
        {marked.size > 0 && (
          <SelectionBar dataset={dataset.id} marked={marked} onDone={() => setMarked(new Set())} />
        )}
        <Answer of={examples}>
          {(all) =>
            all.length === 0 ? (
              <NoExamples
                dataset={dataset.id}
                isFiltered={split !== undefined || q !== undefined}
                onAdd={() => open(NEW)}
              />
            ) : (
              <ExamplesTable
                dataset={dataset.id}
                rows={all}
                marked={marked}
                onMark={setMarked}
                isReadOnly={version !== undefined || !mayDo('datasets:write')}
                onOpen={({ id }) => open(id)}
                selected={example}
                onEnd={nextPageOf(examples)}
                footer={
                  <>
                    <NextPageFailure of={examples} />
                    <Count of={of} />
                  </>
                }
              />
            )
          }
        </Answer>
      </div>
      {(shown !== undefined || example === NEW) && (
        <ExamplePanel
          key={shown === undefined ? NEW : `${shown.id} ${version}`}
          dataset={dataset.id}
          example={shown}
          isReadOnly={version !== undefined}
          onClose={() => open(undefined)}
        />
      )}
    </div>
  );
}

function Count({ of }: { readonly of: Parameters<typeof exampleCountQuery>[0] }) {
  const all = useQuery(exampleCountQuery(of));
  if (all.data === undefined) return null;
  return (
    <p className="px-4 py-2 text-xs text-quiet">
      {count(all.data)} {all.data === 1 ? 'example' : 'examples'}
    </p>
  );
}

interface NoExamplesProps {
  readonly dataset: string;
  readonly isFiltered: boolean;
  readonly onAdd: () => void;
}

const NoExamples = ({ dataset, isFiltered, onAdd }: NoExamplesProps) =>
  isFiltered ? (
    <Empty title="No example matches">Choose another split or search for fewer letters.</Empty>
  ) : (
    <Empty title="The dataset has no examples here yet">
      <p>
        Drop a <code>.csv</code> or <code>.jsonl</code> file here, add runs from a trace, or write the first
        one:
      </p>
      <div>
        <Button look="main" needs="datasets:write" onClick={onAdd}>
          Write an example
        </Button>
      </div>
      <HowToFill
        needs="datasets:write"
        label="Add an example"
        line={fillingLines.example(location.origin, dataset)}
      />
    </Empty>
  );
