import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { createElement } from 'react';
import { isMissingPart } from './session/reload-rules.ts';
import { finishSignIn } from './session/session.ts';
import { views } from './views/views.ts';
import { rootRoute } from './shell/root-route.ts';
import { Failure, Waiting } from './ui/answers.tsx';

/** The sign-in page leads here, and this leads on to where one was. */
const callbackRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/callback',
  loader: async () => {
    throw redirect({ href: await finishSignIn(), replace: true });
  },
});

const missingPage = lazyRouteComponent(() => import('./shell/missing-page.tsx'), 'MissingPage');

export const router = createRouter({
  routeTree: rootRoute.addChildren([callbackRoute, ...views.flatMap(({ routes }) => routes)]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultNotFoundComponent: missingPage,
  defaultErrorComponent: ({ error, reset }) =>
    createElement(Failure, {
      error: error instanceof Error ? error : new Error('The view could not be shown.'),
      onRetry: () => retry(error, reset),
    }),
  defaultPendingComponent: () => createElement(Waiting),
  scrollRestoration: true,
  scrollToTopSelectors: ['#content'],
});

/** A part of the page that did not load is asked for again only by a page that begins anew. */
function retry(error: unknown, reset: () => void): void {
  if (isMissingPart(error)) return location.reload();
  reset();
  void router.invalidate();
}
