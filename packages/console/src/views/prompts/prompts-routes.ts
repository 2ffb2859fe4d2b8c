import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { textIn } from '../../router/search.ts';
import { rootRoute } from '../../shell/root-route.ts';
import type { View } from '../view.ts';
import type { PromptSearch, PromptsSearch } from './prompt-search.ts';

export const prompts: View = {
  routes: [
    createRoute({
      getParentRoute: () => rootRoute,
      path: '/prompts',
      validateSearch: (search): PromptsSearch => {
        const words = textIn(search, 'words');
        return words === undefined ? {} : { words };
      },
      component: lazyRouteComponent(() => import('./prompts-page.tsx'), 'PromptsPage'),
    }),
    createRoute({
      getParentRoute: () => rootRoute,
      path: '/prompts/$prompt',
      validateSearch: (search): PromptSearch => {
        const [commit, against] = [textIn(search, 'commit'), textIn(search, 'against')];
        return { ...(commit !== undefined && { commit }), ...(against !== undefined && { against }) };
      },
      component: lazyRouteComponent(() => import('./prompt-page.tsx'), 'PromptPage'),
    }),
  ],
  entries: [{ label: 'Prompts', icon: 'pen', target: at.prompts(), needs: 'prompts:read', group: 'Improve' }],
};
