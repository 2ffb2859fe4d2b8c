import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { oneOf, textIn } from '../../router/search.ts';
import { rootRoute } from '../../shell/root-route.ts';
import type { View } from '../view.ts';
import { settingsPages } from './settings-pages.ts';
import { eventKinds } from './events/event-kinds.ts';

/** All pages are within a frame, which has no path of its own, so that other views may add pages below `/settings`. */
const frame = createRoute({
  getParentRoute: () => rootRoute,
  id: 'settings',
  component: lazyRouteComponent(() => import('./settings-frame.tsx'), 'SettingsFrame'),
});

const page = { getParentRoute: () => frame } as const;

export const settings: View = {
  routes: [
    frame.addChildren([
      createRoute({
        ...page,
        path: '/settings',
        component: lazyRouteComponent(() => import('./settings-frame.tsx'), 'FirstPage'),
      }),
      createRoute({
        ...page,
        path: '/settings/keys',
        validateSearch: (search): { deployment?: string; make?: string; agent?: string } => ({
          ...named(textIn(search, 'deployment'), 'deployment'),
          ...named(textIn(search, 'make'), 'make'),
          ...named(textIn(search, 'agent'), 'agent'),
        }),
        component: lazyRouteComponent(() => import('./keys/keys-page.tsx'), 'KeysPage'),
      }),
      createRoute({
        ...page,
        path: '/settings/people',
        component: lazyRouteComponent(() => import('./people/people-page.tsx'), 'PeoplePage'),
      }),
      createRoute({
        ...page,
        path: '/settings/applications',
        component: lazyRouteComponent(() => import('./applications-page.tsx'), 'ApplicationsPage'),
      }),
      createRoute({
        ...page,
        path: '/settings/shared',
        component: lazyRouteComponent(() => import('./shared-page.tsx'), 'SharedPage'),
      }),
      createRoute({
        ...page,
        path: '/settings/listeners',
        component: lazyRouteComponent(() => import('./listeners/listeners-page.tsx'), 'ListenersPage'),
      }),
      createRoute({
        ...page,
        path: '/settings/integrations',
        component: lazyRouteComponent(
          () => import('./integrations/integrations-page.tsx'),
          'IntegrationsPage',
        ),
      }),
      createRoute({
        ...page,
        path: '/settings/webhooks',
        component: lazyRouteComponent(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
      }),
      createRoute({
        ...page,
        path: '/settings/webhooks/$webhook',
        validateSearch: (search): { delivery?: string } => ({
          ...named(textIn(search, 'delivery'), 'delivery'),
        }),
        component: lazyRouteComponent(() => import('./webhooks/webhook-page.tsx'), 'WebhookPage'),
      }),
      createRoute({
        ...page,
        path: '/settings/events',
        validateSearch: (search): { deployment?: string; kind?: string; event?: string } => ({
          ...named(textIn(search, 'deployment'), 'deployment'),
          ...named(textIn(search, 'event'), 'event'),
          ...named(oneOf(search, { name: 'kind', among: eventKinds }), 'kind'),
        }),
        component: lazyRouteComponent(() => import('./events/events-page.tsx'), 'EventsPage'),
      }),
      createRoute({
        ...page,
        path: '/settings/rules',
        component: lazyRouteComponent(() => import('./rules/rules-page.tsx'), 'RulesPage'),
      }),
      createRoute({
        ...page,
        path: '/settings/rules/$rule',
        component: lazyRouteComponent(() => import('./rules/rule-page.tsx'), 'RulePage'),
      }),
      createRoute({
        ...page,
        path: '/settings/retention',
        component: lazyRouteComponent(() => import('./retention-page.tsx'), 'RetentionPage'),
      }),
      createRoute({
        ...page,
        path: '/settings/prices',
        component: lazyRouteComponent(() => import('./prices/prices-page.tsx'), 'PricesPage'),
      }),
      createRoute({
        ...page,
        path: '/settings/usage',
        validateSearch: (search): { month?: string } => ({ ...named(textIn(search, 'month'), 'month') }),
        component: lazyRouteComponent(() => import('./usage/usage-page.tsx'), 'UsagePage'),
      }),
      createRoute({
        ...page,
        path: '/settings/workspace',
        component: lazyRouteComponent(() => import('./workspace/workspace-page.tsx'), 'WorkspacePage'),
      }),
    ]),
  ],
  entries: [
    {
      label: 'Settings',
      icon: 'gear',
      target: at.anySettings(),
      needs: 'workspaces:read',
      group: 'Workspace',
    },
  ],
  pages: settingsPages,
};

/** A value under its name; nothing where it is absent. */
function named<const Name extends string>(value: string | undefined, name: Name) {
  return (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: string };
}
