import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { rootRoute } from '../../shell/root-route.ts';
import type { View } from '../view.ts';

export const alerts: View = {
  routes: [
    createRoute({
      getParentRoute: () => rootRoute,
      path: '/alerts',
      component: lazyRouteComponent(() => import('./alerts-page.tsx'), 'AlertsPage'),
    }),
    createRoute({
      getParentRoute: () => rootRoute,
      path: '/alerts/$alert',
      component: lazyRouteComponent(() => import('./alert-page.tsx'), 'AlertPage'),
    }),
  ],
  entries: [{ label: 'Alerts', icon: 'bell', target: at.alerts(), needs: 'traces:read', group: 'Observe' }],
};
