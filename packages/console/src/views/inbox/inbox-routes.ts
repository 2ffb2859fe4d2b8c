import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { type Search, textIn } from '../../router/search.ts';
import { rootRoute } from '../../shell/root-route.ts';
import type { View } from '../view.ts';

export const inbox: View = {
  routes: [
    createRoute({
      getParentRoute: () => rootRoute,
      path: '/inbox',
      validateSearch: (search: Search) => ({
        agent: textIn(search, 'agent'),
        thread: textIn(search, 'thread'),
      }),
      component: lazyRouteComponent(() => import('./inbox-page.tsx'), 'InboxPage'),
    }),
  ],
  entries: [{ label: 'Inbox', icon: 'inbox', target: at.inbox(), needs: 'agents:invoke', group: 'Agents' }],
};
