import type { series } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import type { Clock } from '@roadstead/kit';
import type { RunSearching } from '../queries/run-search-work.ts';
import { seriesRequestOf } from './series-rules.ts';
import { querySeries } from './series-work.ts';

export function seriesHandlers(searching: RunSearching, clock: Clock): Handlers<typeof series> {
  return {
    querySeries: async ({ body, workspace_id }) =>
      querySeries(searching, { workspace_id, request: seriesRequestOf(body), now_ms: clock.now() }),
  };
}
