import { type RunStatus, runFlow } from '@roadstead/contracts/agent-server';

/** The statuses that may precede one of these, as a list of SQL: every writer of a status moves along the table. */
export function leadingTo(...statuses: readonly RunStatus[]): string {
  const from = Object.entries(runFlow).filter(([, next]) => next.some((one) => statuses.includes(one)));
  return from.map(([status]) => `'${status}'`).join(', ');
}

/** The statuses of unfinished runs. */
export const UNFINISHED = leadingTo('success', 'error', 'timeout', 'interrupted');
