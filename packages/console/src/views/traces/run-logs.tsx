import { useQuery } from '@tanstack/react-query';
import { control } from '../../api/clients.ts';
import { at } from '../../router/addresses.ts';
import { mayDo } from '../../session/session.ts';
import { Answer } from '../../ui/answers.tsx';
import { GoTo } from '../../ui/link.tsx';
import { count } from '../../words/number-rules.ts';
import { instant } from '../../words/time-rules.ts';
import { deploymentOf, projectQuery } from './projects-query.ts';
import type { RunFacts, TraceSource } from './trace-source.ts';

interface RunLogsProps {
  readonly source: TraceSource;
  readonly facts: RunFacts;
}

const AROUND_MS = 1000;
const MOST = 500;

const levels: Readonly<Record<string, string>> = {
  WARNING: 'text-warn',
  ERROR: 'text-bad',
  CRITICAL: 'text-bad',
};

/** What the deployment's hosts logged while the run was on its way. Lines name no run. */
export function RunLogs({ source, facts }: RunLogsProps) {
  const project = useQuery({ ...projectQuery(source.own?.project ?? ''), enabled: source.own !== undefined });
  const deployment = deploymentOf(project.data);
  const begin_ms = Date.parse(facts.start_time ?? '');
  const end_ms = facts.end_time == null ? Date.now() : Date.parse(facts.end_time);
  const lines = useQuery({
    queryKey: ['run-logs', deployment, facts.id, facts.status],
    queryFn: ({ signal }) =>
      control.readDeploymentLogs({
        params: { deployment_id: deployment ?? '' },
        query: {
          order: 'asc',
          start_time: new Date(begin_ms - AROUND_MS).toISOString(),
          end_time: new Date(end_ms + AROUND_MS).toISOString(),
          limit: MOST,
        },
        signal,
      }),
    enabled: deployment !== undefined && mayDo('deployments:read'),
  });
  if (project.data !== undefined && deployment === undefined)
    return (
      <p className="text-quiet">
        No deployment writes into this project, so nothing here knows what its host logged.
      </p>
    );
  if (!mayDo('deployments:read')) return <p className="text-quiet">You may not see logs of deployments.</p>;
  return (
    <Answer of={lines}>
      {({ logs, next_offset }) => (
        <div className="flex flex-col gap-2">
          <p className="text-xs text-quiet">
            {next_offset === null ? 'All that' : `Only the first ${count(logs.length)} lines of what`} was
            logged from a second before the run to a second after it; other runs may be among it.{' '}
            {deployment !== undefined && <GoTo target={at.deploymentPart(deployment, 'logs')}>All logs</GoTo>}
          </p>
          {logs.length === 0 ? (
            <p className="text-quiet">Nothing was logged then.</p>
          ) : (
            <ol className="font-mono text-xs">
              {logs.map(({ id, timestamp, level, message }) => (
                <li key={id} className="flex gap-2 py-px">
                  <span className="shrink-0 text-quiet">{instant(timestamp)}</span>
                  <span className={`shrink-0 ${levels[level] ?? 'text-quiet'}`}>{level}</span>
                  <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">{message}</span>
                </li>
              ))}
            </ol>
          )}
        </div>
      )}
    </Answer>
  );
}
