import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { rootRoute } from '../../shell/root-route.ts';
import type { View } from '../view.ts';
import { talkSearch } from './talk-address.ts';

const getParentRoute = () => rootRoute;

export const talk: View = {
  routes: [
    createRoute({
      getParentRoute,
      path: '/talk',
      component: lazyRouteComponent(() => import('./chooser-page.tsx'), 'ChooserPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/talk/$slug',
      validateSearch: talkSearch,
      component: lazyRouteComponent(() => import('./chat-page.tsx'), 'ChatPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/talk/$slug/graph',
      validateSearch: talkSearch,
      component: lazyRouteComponent(() => import('./graph-page.tsx'), 'GraphPage'),
    }),
  ],
  entries: [
    { label: 'Talk', icon: 'talk', target: at.talkAgents(), needs: 'agents:invoke', group: 'Agents' },
  ],
};
