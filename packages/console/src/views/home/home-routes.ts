import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { rootRoute } from '../../shell/root-route.ts';
import type { View } from '../view.ts';

export const home: View = {
  routes: [
    createRoute({
      getParentRoute: () => rootRoute,
      path: '/',
      component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
    }),
  ],
  entries: [{ label: 'Home', icon: 'home', target: at.home(), needs: 'workspaces:read', group: 'Agents' }],
};
