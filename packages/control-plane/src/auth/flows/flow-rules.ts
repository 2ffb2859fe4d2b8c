import type { Flow } from '@roadstead/contracts';

/** A user’s consent on its way, from `authenticate` to a token. */
export type FlowStatus = 'pending' | 'exchanging' | 'completed' | 'failed';

/** The first step is taken once: with it the state is used up. */
export const flowSteps: Flow<FlowStatus> = {
  pending: ['exchanging', 'failed'],
  exchanging: ['completed', 'failed'],
  completed: [],
  failed: [],
};

/** Of every flow: one name a flow would stay for ever. */
export const FLOW_NEWS = 'oauth-flows';
