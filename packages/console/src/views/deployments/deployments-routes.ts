import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { numberIn, oneOf, type Search, textIn } from '../../router/search.ts';
import { rootRoute } from '../../shell/root-route.ts';
import type { View } from '../view.ts';
import { LEVELS, type LogSearch, LOG_TYPES } from './log-search.ts';
import { LIST_STATES, type ListSearch } from './list-rules.ts';
import { SOURCE_CHOICES, type SourceChoice } from './source-rules.ts';

const parent = { getParentRoute: () => rootRoute };

const logSearch = (search: Search): LogSearch => ({
  type: oneOf(search, { name: 'type', among: LOG_TYPES }),
  revision: textIn(search, 'revision'),
  level: oneOf(search, { name: 'level', among: LEVELS }),
  query: textIn(search, 'query'),
  wrap: numberIn(search, 'wrap') === 1 ? 1 : undefined,
});

export const deployments: View = {
  routes: [
    createRoute({
      ...parent,
      path: '/deployments',
      validateSearch: (search: Search): ListSearch => ({
        q: textIn(search, 'q'),
        state: oneOf(search, { name: 'state', among: LIST_STATES }),
      }),
      component: lazyRouteComponent(() => import('./deployments-page.tsx'), 'DeploymentsPage'),
    }),
    createRoute({
      ...parent,
      path: '/deployments/new',
      validateSearch: (search: Search): { readonly from?: SourceChoice | undefined } => ({
        from: oneOf(search, { name: 'from', among: SOURCE_CHOICES }),
      }),
      component: lazyRouteComponent(() => import('./new-page.tsx'), 'NewPage'),
    }),
    createRoute({
      ...parent,
      path: '/deployments/$deployment',
      component: lazyRouteComponent(() => import('./deployment-page.tsx'), 'DeploymentPage'),
    }),
    createRoute({
      ...parent,
      path: '/deployments/$deployment/revisions/$revision',
      validateSearch: (search: Search): { readonly against?: string | undefined } => ({
        against: textIn(search, 'against'),
      }),
      component: lazyRouteComponent(() => import('./revision-page.tsx'), 'RevisionPage'),
    }),
    createRoute({
      ...parent,
      path: '/deployments/$deployment/logs',
      validateSearch: logSearch,
      component: lazyRouteComponent(() => import('./logs-page.tsx'), 'LogsPage'),
    }),
    createRoute({
      ...parent,
      path: '/deployments/$deployment/environment',
      component: lazyRouteComponent(() => import('./environment-page.tsx'), 'EnvironmentPage'),
    }),
    createRoute({
      ...parent,
      path: '/deployments/$deployment/resources',
      component: lazyRouteComponent(() => import('./resources-page.tsx'), 'ResourcesPage'),
    }),
    createRoute({
      ...parent,
      path: '/deployments/$deployment/settings',
      component: lazyRouteComponent(() => import('./settings-page.tsx'), 'SettingsPage'),
    }),
  ],
  entries: [
    {
      label: 'Deployments',
      icon: 'boxes',
      target: at.deployments(),
      needs: 'deployments:read',
      group: 'Agents',
    },
  ],
};
