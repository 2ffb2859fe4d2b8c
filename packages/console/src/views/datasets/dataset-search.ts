import { useParams, useSearch } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { oneOf, type Search, textIn, textsIn } from '../../router/search.ts';

/** What stands behind the `?` of the addresses of datasets. */

export const datasetsSearch = (search: Search) => ({ q: textIn(search, 'q') });

export const datasetSearch = (search: Search) => ({
  tab: oneOf(search, { name: 'tab', among: ['examples', 'experiments'] }),
  version: textIn(search, 'version'),
  split: textIn(search, 'split'),
  q: textIn(search, 'q'),
  example: textIn(search, 'example'),
});
export type DatasetSearch = ReturnType<typeof datasetSearch>;

export const compareSearch = (search: Search) => ({
  experiments: textsIn(search, 'experiments'),
  baseline: textIn(search, 'baseline'),
  show: oneOf(search, { name: 'show', among: ['regressed', 'improved', 'same'] }),
  example: textIn(search, 'example'),
  against: oneOf(search, { name: 'against', among: ['expected', 'baseline'] }),
  view: oneOf(search, { name: 'view', among: ['pairs'] }),
  comparison: textIn(search, 'comparison'),
});
export type CompareSearch = ReturnType<typeof compareSearch>;

export const useDatasetId = (): string => String(useParams({ strict: false }).dataset);

const current = <T extends object>(read: (search: Search) => T) =>
  function useCurrent(): T {
    return read(useSearch({ strict: false }));
  };

export const useDatasetsSearch = current(datasetsSearch);
export const useDatasetSearch = current(datasetSearch);
export const useCompareSearch = current(compareSearch);

interface ChangeOptions {
  /** Whether one may go back to what was shown before. */
  readonly step?: boolean;
}

/** Changes some of what the address of a dataset says. */
export function useDatasetChange(): (change: Partial<DatasetSearch>, options?: ChangeOptions) => void {
  const [go, dataset, search] = [useGo(), useDatasetId(), useDatasetSearch()];
  return (change, { step = false } = {}) =>
    go(at.dataset(dataset, { ...search, ...change }), { replace: !step });
}

/** Changes some of what the address of a comparison says. */
export function useCompareChange(): (change: Partial<CompareSearch>) => void {
  const [go, dataset, search] = [useGo(), useDatasetId(), useCompareSearch()];
  return (change) => go({ ...at.experiments(dataset), search: { ...search, ...change } }, { replace: true });
}
