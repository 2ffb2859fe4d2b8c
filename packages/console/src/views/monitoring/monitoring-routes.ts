import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { instantIn, oneOf, type Search, textIn } from '../../router/search.ts';
import { rootRoute } from '../../shell/root-route.ts';
import type { View } from '../view.ts';
import { groupings, percentiles, periodNames } from './monitoring-rules.ts';

export const monitoring: View = {
  routes: [
    createRoute({
      getParentRoute: () => rootRoute,
      path: '/monitoring',
      validateSearch: (search: Search) => ({
        deployment: textIn(search, 'deployment'),
        project: textIn(search, 'project'),
        period: oneOf(search, { name: 'period', among: periodNames }),
        by: oneOf(search, {
          name: 'by',
          among: groupings.map(([name]) => name).filter((name) => name !== ''),
        }),
        runs: oneOf(search, { name: 'runs', among: ['roots', 'all'] }),
        filter: textIn(search, 'filter'),
        percentile: oneOf(search, { name: 'percentile', among: percentiles }),
        /** The point whose traces are looked for: a time, and what its runs have in common. */
        from: instantIn(search, 'from'),
        to: instantIn(search, 'to'),
        only: textIn(search, 'only'),
      }),
      component: lazyRouteComponent(() => import('./monitoring-page.tsx'), 'MonitoringPage'),
    }),
  ],
  entries: [
    {
      label: 'Monitoring',
      icon: 'chart',
      target: at.monitoring(),
      needs: 'traces:read',
      group: 'Observe',
    },
  ],
};
