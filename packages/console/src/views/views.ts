import { alerts } from './alerts/alerts-routes.ts';
import { datasets } from './datasets/datasets-routes.ts';
import { deployments } from './deployments/deployments-routes.ts';
import { home } from './home/home-routes.ts';
import { inbox } from './inbox/inbox-routes.ts';
import { monitoring } from './monitoring/monitoring-routes.ts';
import { playground } from './playground/playground-routes.ts';
import { prompts } from './prompts/prompts-routes.ts';
import { queues } from './queues/queues-routes.ts';
import { settings } from './settings/settings-routes.ts';
import { talk } from './talk/talk-routes.ts';
import { tracesView } from './traces/traces-routes.ts';
import type { View } from './view.ts';

/** The views, in the order of the menu. */
export const views: readonly View[] = [
  home,
  deployments,
  talk,
  inbox,
  tracesView,
  monitoring,
  alerts,
  datasets,
  queues,
  prompts,
  playground,
  settings,
];
