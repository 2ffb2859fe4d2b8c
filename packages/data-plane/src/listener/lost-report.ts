import type { Assignment } from '@roadstead/contracts/control-plane';
import type { Log, Problem } from '@roadstead/kit';
import type { DeploymentLogs } from '../logs/deployment-logs.ts';
import type { DeploymentReports } from './deployment-reports.ts';
import { failureReason } from './revision-attempt.ts';

/** Reports why the revision that served can't be restored. */
export async function reportLost(
  log: Log,
  {
    assignment,
    revision_id,
    problem,
    logs,
    reports,
  }: {
    readonly assignment: Assignment;
    readonly revision_id: string;
    readonly problem: Problem;
    readonly logs: Pick<DeploymentLogs, 'tail' | 'mask'>;
    readonly reports: Pick<DeploymentReports, 'progress'>;
  },
): Promise<void> {
  const { deployment_id } = assignment;
  log.error('the revision that served could not be restored', { deployment_id, revision_id, error: problem });
  const log_tail = logs.tail(revision_id);
  const why = failureReason('start', problem, { log_tail, mask: logs.mask });
  const message = `The revision that served can’t be restored: ${why.message}`;
  const reason = { ...why, code: problem.code ?? 'not_restored', message };
  await reports.progress(assignment, { revision_id, phase: 'start', outcome: 'failed', reason });
}
