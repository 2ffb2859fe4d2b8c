import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { rootRoute } from '../../shell/root-route.ts';
import type { View } from '../view.ts';
import { queueSearch, queuesSearch } from './queue-search.ts';

export const queues: View = {
  routes: [
    createRoute({
      getParentRoute: () => rootRoute,
      path: '/queues',
      validateSearch: queuesSearch,
      component: lazyRouteComponent(() => import('./queues-page.tsx'), 'QueuesPage'),
    }),
    createRoute({
      getParentRoute: () => rootRoute,
      path: '/queues/$queue',
      validateSearch: queueSearch,
      component: lazyRouteComponent(() => import('./queue-page.tsx'), 'QueuePage'),
    }),
  ],
  entries: [
    {
      label: 'Annotation queues',
      icon: 'check',
      target: at.queues(),
      needs: 'feedback:read',
      group: 'Improve',
    },
  ],
};
