import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { at } from '../../router/addresses.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { GoTo } from '../../ui/link.tsx';
import { NextPageButton } from '../../ui/next-page.tsx';
import { Page } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { count, dollars } from '../../words/number-rules.ts';
import { duration, instant } from '../../words/time-rules.ts';
import { projectQuery } from './projects-query.ts';
import { RunValue } from './run-value.tsx';
import { threadStatsQuery, turnsQuery } from './threads-query.ts';
import { ownSource } from './trace-source.ts';

/** A conversation, turn by turn. */
export function ConversationPage() {
  const { project = '', thread = '' } = useParams({ strict: false });
  const known = useQuery(projectQuery(project));
  const stats = useQuery(threadStatsQuery(project, thread)).data;
  const turns = useInfiniteQuery(turnsQuery(project, thread));
  return (
    <Page
      title={thread}
      above={[
        { label: 'Traces', target: at.projects() },
        { label: known.data?.name ?? 'Project', target: at.conversations(project) },
      ]}
      beside={
        stats !== undefined && (
          <span className="text-xs text-quiet">
            {[
              stats.turns === undefined
                ? ''
                : `${count(stats.turns)} ${stats.turns === 1 ? 'turn' : 'turns'}`,
              (stats.total_tokens ?? 0) > 0 ? `${count(stats.total_tokens ?? 0)} tokens` : '',
              stats.total_cost == null ? '' : dollars(stats.total_cost),
            ]
              .filter((one) => one !== '')
              .join(' · ')}
          </span>
        )
      }
    >
      <Answer of={turns}>
        {({ pages }) => {
          const list = pages.flatMap(({ items }) => items);
          return list.length === 0 ? (
            <Empty title="The conversation has no turns" />
          ) : (
            <div className="mx-auto flex max-w-4xl flex-col gap-4">
              {list.map((turn, index) => (
                <Turn key={turn.trace_id} project={project} turn={turn} place={index + 1} />
              ))}
              <NextPageButton of={turns}>More turns</NextPageButton>
            </div>
          );
        }}
      </Answer>
    </Page>
  );
}

type TurnFacts = Awaited<ReturnType<NonNullable<ReturnType<typeof turnsQuery>['queryFn'] & object>>>;

interface TurnProps {
  readonly project: string;
  readonly turn: TurnFacts['items'][number];
  readonly place: number;
}

function Turn({ project, turn, place }: TurnProps) {
  const { trace_id, name = '', start_time = '', latency, error_preview } = turn;
  const [isWhole, setWhole] = useState(false);
  const source = useMemo(() => ownSource(project, trace_id), [project, trace_id]);
  return (
    <article aria-label={`Turn ${place}`} className="rounded-lg border border-line bg-card">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5 text-xs text-quiet">
        <GoTo target={at.trace(project, trace_id)} className="min-w-0 wrap-anywhere">
          {name === '' ? 'Trace' : name}
        </GoTo>
        {start_time !== '' && instant(start_time)}
        {latency != null && <span>{duration(latency * 1000)}</span>}
        {error_preview != null && (
          <span className="max-w-full min-w-0 overflow-hidden">
            <Badge tone="warn">{error_preview.slice(0, 60)}</Badge>
          </span>
        )}
        <Button
          small
          look="quiet"
          className="ml-auto"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Shorter' : 'All of it'}
        </Button>
      </header>
      <div className="flex flex-col gap-3 px-4 py-3">
        {isWhole ? (
          <>
            <RunValue
              source={source}
              asked={{ run: trace_id, kind: 'inputs', status: undefined }}
              title="Input"
            />
            <RunValue
              source={source}
              asked={{ run: trace_id, kind: 'outputs', status: undefined }}
              title="Output"
            />
          </>
        ) : (
          <>
            <p className="ml-auto max-w-[85%] rounded-lg bg-accent-soft px-3 py-2 wrap-anywhere whitespace-pre-wrap">
              {turn.inputs_preview ?? 'No input.'}
            </p>
            <p className="max-w-[85%] wrap-anywhere whitespace-pre-wrap">
              {turn.outputs_preview ?? 'No answer.'}
            </p>
          </>
        )}
      </div>
    </article>
  );
}
