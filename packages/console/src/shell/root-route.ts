import { createRootRoute } from '@tanstack/react-router';
import { Shell } from './shell.tsx';

/** Everything is within the shell. */
export const rootRoute = createRootRoute({ component: Shell });
