import { isTerminal } from '@roadstead/contracts';
import { type Deployment, type Event, type Revision, revisionFlow } from '@roadstead/contracts/control-plane';
import { table } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { ageOf, secondsBetween } from '../terminal/time-rules.ts';

export interface StatusReport {
  readonly deployment: Deployment;
  readonly active_revision: Revision | null;
  readonly latest_revision: Revision | null;
  /** Newest first. */
  readonly events: readonly Event[];
}

interface StatusStyle {
  readonly terminal: Pick<Terminal, 'bold' | 'dim' | 'green' | 'red'>;
  readonly now: number;
}

/** The status of a deployment, for people. */
export function statusLines(report: StatusReport, { terminal, now }: StatusStyle): string[] {
  const { deployment, active_revision: active, latest_revision: latest, events } = report;
  const rows = [
    ['url', deployment.url ?? 'none yet'],
    ['source', sourceOf(deployment)],
    ['serves', active === null ? 'nothing yet' : revisionOf(active, now)],
    ...(latest === null || latest.id === active?.id ? [] : [['latest', revisionOf(latest, now)]]),
    ...reasonRows(latest),
    ...troubleRows(deployment),
    ...(latest === null || latest.phases.length === 0 ? [] : [['phases', phasesOf(latest, now)]]),
    ['variables', deployment.secrets.map(({ name }) => name).join(', ') || 'none'],
  ];
  const { status } = deployment;
  return [
    `${terminal.bold(deployment.name)}  ${status === 'READY' ? terminal.green(status) : status}`,
    ...table(rows).map((line) => `  ${line}`),
    ...(events.length === 0 ? [] : ['', 'What happened last:']),
    ...table(events.map((event) => eventRow(event, now))).map((line) => `  ${line}`),
  ];
}

function sourceOf({ source, source_config, source_revision_config: revision }: Deployment): string {
  const { repo_url, template_id } = source_config;
  const { repo_ref, image_uri } = revision;
  const named = [repo_url, template_id, repo_ref, image_uri].filter((one) => typeof one === 'string');
  return [source, ...named].join(' ');
}

function revisionOf({ number, status, created_at, trigger, ...more }: Revision, now: number): string {
  const commit = more.repo_commit_sha === null ? '' : `, commit ${more.repo_commit_sha.slice(0, 10)}`;
  return `revision ${number} ${status}, made ${ageOf(created_at, now)} by ${trigger.kind}${commit}`;
}

/** Why the latest revision waits or failed. */
function reasonRows(latest: Revision | null): string[][] {
  if (latest === null || latest.status_reason === null) return [];
  const { phase, message, hint } = latest.status_reason;
  const verb = isTerminal(revisionFlow, latest.status) ? 'failed in' : 'waits in';
  return [['', `${verb} phase ${phase}: ${message}`], ...(hint == null ? [] : [['', hint]])];
}

/** What is wrong with what serves, and what of it has no effect. */
function troubleRows({ status_reason: trouble, notes }: Deployment): string[][] {
  const said = [trouble?.message, trouble?.hint].filter((one) => typeof one === 'string');
  return [
    ...said.map((one, index) => [index === 0 ? 'trouble' : '', one]),
    ...notes.map((note, index) => [index === 0 ? 'notes' : '', note]),
  ];
}

function phasesOf({ phases }: Revision, now: number): string {
  return phases
    .map(({ phase, started_at, ended_at }) =>
      ended_at === null
        ? `${phase} for ${secondsBetween(started_at, now)}`
        : `${phase} ${secondsBetween(started_at, Date.parse(ended_at))}`,
    )
    .join(', ');
}

function eventRow({ at, kind, from, to, actor }: Event, now: number): string[] {
  const change = from === null && to === null ? '' : `${from ?? ''} → ${to ?? ''}`.trim();
  return [ageOf(at, now), kind, change, `by ${actor}`];
}
