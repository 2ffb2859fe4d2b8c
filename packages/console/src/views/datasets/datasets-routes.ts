import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { rootRoute } from '../../shell/root-route.ts';
import type { View } from '../view.ts';
import { compareSearch, datasetSearch, datasetsSearch } from './dataset-search.ts';

export const datasets: View = {
  routes: [
    createRoute({
      getParentRoute: () => rootRoute,
      path: '/datasets',
      validateSearch: datasetsSearch,
      component: lazyRouteComponent(() => import('./datasets-page.tsx'), 'DatasetsPage'),
    }),
    createRoute({
      getParentRoute: () => rootRoute,
      path: '/datasets/$dataset',
      validateSearch: datasetSearch,
      component: lazyRouteComponent(() => import('./dataset-page.tsx'), 'DatasetPage'),
    }),
    createRoute({
      getParentRoute: () => rootRoute,
      path: '/datasets/$dataset/compare',
      validateSearch: compareSearch,
      component: lazyRouteComponent(() => import('./compare-page.tsx'), 'ComparePage'),
    }),
  ],
  entries: [
    { label: 'Datasets', icon: 'table', target: at.datasets(), needs: 'datasets:read', group: 'Improve' },
  ],
};
