import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { textIn, type Search } from '../../router/search.ts';
import { rootRoute } from '../../shell/root-route.ts';
import type { View } from '../view.ts';
import { openIn } from './trace-search.ts';
import { traceListSearch } from './trace-list-search.ts';

const parent = { getParentRoute: () => rootRoute } as const;

export const tracesView: View = {
  routes: [
    createRoute({
      ...parent,
      path: '/projects',
      validateSearch: (search: Search) => ({ name: textIn(search, 'name') }),
      component: lazyRouteComponent(() => import('./projects-page.tsx'), 'ProjectsPage'),
    }),
    createRoute({
      ...parent,
      path: '/projects/$project',
      validateSearch: traceListSearch,
      component: lazyRouteComponent(() => import('./traces-page.tsx'), 'TracesPage'),
    }),
    createRoute({
      ...parent,
      path: '/projects/$project/traces/$trace',
      validateSearch: openIn,
      component: lazyRouteComponent(() => import('./trace-page.tsx'), 'TracePage'),
    }),
    createRoute({
      ...parent,
      path: '/projects/$project/threads',
      validateSearch: traceListSearch,
      component: lazyRouteComponent(() => import('./conversations-page.tsx'), 'ConversationsPage'),
    }),
    createRoute({
      ...parent,
      path: '/projects/$project/threads/$thread',
      component: lazyRouteComponent(() => import('./conversation-page.tsx'), 'ConversationPage'),
    }),
    createRoute({
      ...parent,
      path: '/runs/$run',
      component: lazyRouteComponent(() => import('./run-place-page.tsx'), 'RunPlacePage'),
    }),
    createRoute({
      ...parent,
      path: '/public/$token/r',
      validateSearch: openIn,
      component: lazyRouteComponent(() => import('./shared-trace-page.tsx'), 'SharedTracePage'),
    }),
    createRoute({
      ...parent,
      path: '/public/$token/d',
      validateSearch: (search: Search) => ({ example: textIn(search, 'example') }),
      component: lazyRouteComponent(() => import('./shared-dataset-page.tsx'), 'SharedDatasetPage'),
    }),
  ],
  entries: [
    { label: 'Traces', icon: 'trace', target: at.projects(), needs: 'traces:read', group: 'Observe' },
  ],
};
