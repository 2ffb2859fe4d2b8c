import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { textIn } from '../../router/search.ts';
import { rootRoute } from '../../shell/root-route.ts';
import type { View } from '../view.ts';
import { type PlaygroundSearch, searchNames } from './playground-search.ts';

export const playground: View = {
  routes: [
    createRoute({
      getParentRoute: () => rootRoute,
      path: '/playground',
      validateSearch: (search): PlaygroundSearch =>
        Object.fromEntries(
          searchNames.flatMap((name) => {
            const value = textIn(search, name);
            return value === undefined ? [] : [[name, value] as const];
          }),
        ),
      component: lazyRouteComponent(() => import('./playground-page.tsx'), 'PlaygroundPage'),
    }),
    createRoute({
      getParentRoute: () => rootRoute,
      path: '/settings/providers',
      component: lazyRouteComponent(() => import('./providers-page.tsx'), 'ProvidersPage'),
    }),
  ],
  entries: [
    { label: 'Playground', icon: 'play', target: at.playground(), needs: 'prompts:read', group: 'Improve' },
  ],
};
