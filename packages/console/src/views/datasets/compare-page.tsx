import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { type Dataset, datasetQuery } from '../../api/datasets.ts';
import { at } from '../../router/addresses.ts';
import { Answer, Empty, Failure, Waiting } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { GoTo } from '../../ui/link.tsx';
import { type EndlessAnswer, NextPageFailure, nextPageOf } from '../../ui/next-page.tsx';
import { Page } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { CompareDetail } from './compare-detail.tsx';
import { type Change, changeCounts, comparedRow, type ComparedRow, inOrder } from './compare-rules.ts';
import { CompareTable } from './compare-table.tsx';
import { useCompareChange, useCompareSearch, useDatasetId } from './dataset-search.ts';
import {
  comparedQuery,
  type Experiment,
  experimentsNamedQuery,
  lowerIsBetterQuery,
} from './experiment-queries.ts';
import { Choice } from './examples-toolbar.tsx';
import { Pairs } from './pairs.tsx';

/** Experiments side by side: what became worse comes first. */
export function ComparePage() {
  const dataset = useQuery(datasetQuery(useDatasetId()));
  const { experiments: ids = [] } = useCompareSearch();
  const experiments = useQuery(experimentsNamedQuery(ids));
  return (
    <Answer of={dataset}>
      {(found) => (
        <Page
          title="Compare experiments"
          filled
          above={[
            { label: 'Datasets', target: at.datasets() },
            { label: found.name, target: at.dataset(found.id, { tab: 'experiments' }) },
          ]}
        >
          {ids.length === 0 ? (
            <Empty title="No experiment is chosen">
              <p>
                <GoTo target={at.dataset(found.id, { tab: 'experiments' })}>Mark experiments here</GoTo>, then
                press <b>Compare</b>.
              </p>
            </Empty>
          ) : (
            <Answer of={experiments}>
              {(all) => <Compared dataset={found} experiments={inAsked(all, ids)} />}
            </Answer>
          )}
        </Page>
      )}
    </Answer>
  );
}

/** The order of the address stays. */
const inAsked = (all: readonly Experiment[], ids: readonly string[]) =>
  ids.flatMap((id) => all.find((one) => one.id === id) ?? []);

interface ComparedProps {
  readonly dataset: Dataset;
  readonly experiments: readonly Experiment[];
}

function Compared({ dataset, experiments }: ComparedProps) {
  const { baseline: asked, show, view, example } = useCompareSearch();
  const change = useCompareChange();
  const ids = experiments.map(({ id }) => id);
  const chosen = [asked, dataset.baseline_experiment_id, ids[0]];
  const baseline = chosen.find((id) => typeof id === 'string' && ids.includes(id)) ?? '';
  const { rows, compared } = useRows({ dataset, ids, baseline });
  useShortcuts([
    {
      key: 'r',
      does: 'Show regressions only',
      run: () => change({ show: show === 'regressed' ? undefined : 'regressed' }),
    },
    {
      key: 'i',
      does: 'Show improvements only',
      run: () => change({ show: show === 'improved' ? undefined : 'improved' }),
    },
    { key: 'Escape', does: 'Close the example', run: () => change({ example: undefined }) },
  ]);
  if (experiments.length === 0)
    return <Empty title="These experiments are gone">They were deleted, or are of another workspace.</Empty>;
  if (rows === undefined) return compared.error === null ? <Waiting /> : <Failure error={compared.error} />;
  if (view === 'pairs' && experiments.length === 2)
    return <Pairs dataset={dataset} experiments={experiments} rows={rows} />;
  const shown = show === undefined ? rows : rows.filter((row) => row.change === show);
  return (
    <>
      <Toolbar experiments={experiments} baseline={baseline} rows={rows} rest={compared} />
      <NextPageFailure of={compared} />
      <CompareTable rows={shown} experiments={experiments} baseline={baseline} />
      {example !== undefined && (
        <CompareDetail dataset={dataset.id} example={example} experiments={experiments} baseline={baseline} />
      )}
    </>
  );
}

interface RowsOf {
  readonly dataset: Dataset;
  readonly ids: readonly string[];
  readonly baseline: string;
}

/** All rows, page after page: what comes first is known only once all are there. */
function useRows({ dataset, ids, baseline }: RowsOf) {
  const compared = useInfiniteQuery(comparedQuery(dataset.id, ids));
  const lower = useQuery(lowerIsBetterQuery);
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = compared;
  useEffect(() => {
    nextPageOf({ hasNextPage, isFetching, isFetchNextPageError, fetchNextPage })?.();
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
  const key = ids.join(' ');
  const rows = useMemo((): ComparedRow[] | undefined => {
    const options = { experiments: key.split(' '), baseline, lower: lower.data ?? new Set<string>() };
    return compared.data && inOrder(compared.data.map((one) => comparedRow(one, options)));
  }, [compared.data, key, baseline, lower.data]);
  return { rows, compared };
}

const tones = { regressed: 'bad', improved: 'good', same: 'quiet', unknown: 'quiet' } as const;

interface ToolbarProps {
  readonly experiments: readonly Experiment[];
  readonly baseline: string;
  readonly rows: readonly ComparedRow[];
  /** The pages that are not there yet. */
  readonly rest: EndlessAnswer;
}

function Toolbar({ experiments, baseline, rows, rest }: ToolbarProps) {
  const { show } = useCompareSearch();
  const change = useCompareChange();
  const counts = changeCounts(rows);
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-card px-4 py-2">
      <div className="flex items-center gap-2">
        <span className="text-quiet">Baseline</span>
        <Choice
          label="Baseline"
          value={baseline}
          onChange={(value) => change({ baseline: value })}
          options={experiments.map(({ id, name }) => [id, name] as const)}
        />
      </div>
      <Choice
        label="Show"
        value={show ?? ''}
        onChange={(value) => change({ show: (value || undefined) as typeof show })}
        options={[
          ['', 'All examples'],
          ['regressed', 'Regressions only'],
          ['improved', 'Improvements only'],
          ['same', 'Unchanged only'],
        ]}
      />
      {experiments.length > 1 &&
        (Object.entries(counts) as [Change, number][])
          .filter(([kind, number]) => kind !== 'unknown' && number > 0)
          .map(([kind, number]) => (
            <Badge key={kind} tone={tones[kind]}>
              {number} {kind === 'same' ? 'unchanged' : kind}
            </Badge>
          ))}
      {rest.hasNextPage && !rest.isFetchNextPageError && <Waiting what="Loading the rest" />}
      <Button
        className="ml-auto"
        needs="feedback:write"
        because={experiments.length === 2 ? undefined : 'Compare exactly two experiments for this'}
        onClick={() => change({ view: 'pairs', example: undefined })}
      >
        Choose the better of two
      </Button>
    </div>
  );
}
