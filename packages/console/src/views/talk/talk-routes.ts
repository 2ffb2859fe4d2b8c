import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { rootRoute } from '../../shell/root-route.ts';
import type { View } from '../view.ts';
import { storeSearch } from './store-rules.ts';
import { talkSearch } from './talk-address.ts';
import { threadsSearch } from './threads-search-rules.ts';

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
    createRoute({
      getParentRoute,
      path: '/talk/$slug/threads',
      validateSearch: threadsSearch,
      component: lazyRouteComponent(() => import('./threads-page.tsx'), 'ThreadsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/talk/$slug/assistants',
      validateSearch: talkSearch,
      component: lazyRouteComponent(() => import('./assistants-page.tsx'), 'AssistantsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/talk/$slug/store',
      validateSearch: storeSearch,
      component: lazyRouteComponent(() => import('./store-page.tsx'), 'StorePage'),
    }),
    createRoute({
      getParentRoute,
      path: '/talk/$slug/crons',
      component: lazyRouteComponent(() => import('./crons-page.tsx'), 'CronsPage'),
    }),
  ],
  entries: [
    { label: 'Talk', icon: 'talk', target: at.talkAgents(), needs: 'agents:invoke', group: 'Agents' },
  ],
};
