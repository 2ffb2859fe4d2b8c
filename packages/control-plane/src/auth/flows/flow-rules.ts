import type { Flow } from '@roadstead/contracts';

/** The status of a user’s consent, from `authenticate` to a token. */
export type FlowStatus = 'pending' | 'exchanging' | 'completed' | 'failed';

/** The first step is taken only once: it uses up the state. */
export const flowSteps: Flow<FlowStatus> = {
  pending: ['exchanging', 'failed'],
  exchanging: ['completed', 'failed'],
  completed: [],
  failed: [],
};

/** The notifier’s name for all flows: a name for each flow would never be removed. */
export const FLOW_NEWS = 'oauth-flows';
