import type { HostError } from '@roadstead/contracts/host';
import { cutLine } from '@roadstead/kit';
import type { AgentLogLine } from './agent-server-options.ts';
import type { RunRow } from './runs/records.ts';
import type { EndedRun } from './runs/run.ts';

type LogSource = Pick<AgentLogLine, 'revision_id'>;

/** The log that the deployment's users read. */
export interface DeploymentLog {
  /** Adds a line that holds no user's text. */
  add(of: LogSource, level: AgentLogLine['level'], message: string): void;
  /** Adds a line after hiding secrets in it and cutting it where it is long. */
  addMasked(of: LogSource, level: AgentLogLine['level'], message: string): void;
  failed(run: RunRow, error: HostError): void;
  cancelled(of: LogSource, ended: EndedRun): void;
}

export function deploymentLog(
  onLog: (line: AgentLogLine) => void,
  mask: (text: string) => string,
): DeploymentLog {
  const log: DeploymentLog = {
    add: ({ revision_id }, level, message) =>
      onLog({ revision_id, at: new Date().toISOString(), level, message }),
    addMasked: (of, level, message) => log.add(of, level, cutLine(mask(message))),
    failed: (run, { name, message, stack }) =>
      log.addMasked(run, 'ERROR', `Run ${run.run_id} failed: ${stack ?? `${name}: ${message}`}`),
    cancelled: (of, { run, end }) =>
      log.addMasked(of, 'INFO', `Run ${run.run_id} was cancelled: ${end.reason ?? ''}`),
  };
  return log;
}
