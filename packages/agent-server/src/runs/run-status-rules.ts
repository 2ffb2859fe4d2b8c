import { type RunStatus, runFlow } from '@roadstead/contracts/agent-server';

/** The statuses from which a run may come to one of these, as a list of SQL: who writes a status moves along the table. */
export function leadingTo(...statuses: readonly RunStatus[]): string {
  const from = Object.entries(runFlow).filter(([, next]) => next.some((one) => statuses.includes(one)));
  return from.map(([status]) => `'${status}'`).join(', ');
}

/** Of runs that have not ended. */
export const UNFINISHED = leadingTo('success', 'error', 'timeout', 'interrupted');
