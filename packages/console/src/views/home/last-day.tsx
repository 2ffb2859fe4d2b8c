import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { traces } from '../../api/clients.ts';
import { ProjectName } from '../../choices/project-name.tsx';
import { at } from '../../router/addresses.ts';
import { Answer } from '../../ui/answers.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Card } from '../../ui/page.tsx';
import { count, dollars, share } from '../../words/number-rules.ts';

const DAY_MS = 86_400_000;
const FAILED = { filter: 'eq(status, "error")', period: 'day' } as const;

const lastDayQuery = {
  queryKey: ['series', 'last day'],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => {
    const now = Date.now();
    return traces.querySeries({
      body: {
        start_time: new Date(now - DAY_MS).toISOString(),
        end_time: new Date(now).toISOString(),
        bucket_s: 86_400,
        runs: 'roots',
        select: ['cost'],
        group_by: { attribute: 'project', max_groups: 20 },
        compare: false,
      },
      signal,
    });
  },
  refetchInterval: 60_000,
} as const;

/** What all traces of the last day came to, and where some of them failed. */
export function LastDay() {
  const answer = useQuery(lastDayQuery);
  return (
    <Card title="Last day" actions={<GoTo target={at.monitoring()}>Monitoring</GoTo>}>
      <Answer of={answer}>
        {({ series: [all, ...groups] }) => {
          const { runs = 0, errors = 0, error_rate = null, total_cost = null } = all?.total ?? {};
          const failing = groups
            .flatMap(({ group, total }) => (group === null ? [] : [{ id: group, errors: total.errors }]))
            .filter((one) => one.errors > 0)
            .toSorted((one, other) => other.errors - one.errors);
          return (
            <>
              <dl className="grid grid-cols-3 gap-3">
                <Figure name="Traces" value={count(runs)} />
                <Figure name="Failed" value={figureOf(errors, error_rate)} isBad={errors > 0} />
                <Figure name="Cost" value={total_cost === null ? '–' : dollars(total_cost)}>
                  <GoTo
                    target={at.monitoring({ by: 'model' })}
                    className="text-xs text-accent hover:underline"
                  >
                    By model
                  </GoTo>
                </Figure>
              </dl>
              {failing.length > 0 && (
                <ul aria-label="Where traces failed" className="flex flex-col gap-1 pt-3">
                  {failing.slice(0, 4).map(({ id, errors: failures }) => (
                    <li key={id} className="truncate">
                      <GoTo target={at.project(id, FAILED)}>
                        <ProjectName id={id} />: {count(failures)} failed
                      </GoTo>
                    </li>
                  ))}
                </ul>
              )}
            </>
          );
        }}
      </Answer>
    </Card>
  );
}

const figureOf = (errors: number, rate: number | null) =>
  rate === null || errors === 0 ? count(errors) : `${count(errors)} (${share(rate)})`;

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly isBad?: boolean;
  /** What leads to more about it. */
  readonly children?: ReactNode;
}

const Figure = ({ name, value, isBad = false, children }: FigureProps) => (
  <div>
    <dt className="text-quiet">{name}</dt>
    <dd className={`text-lg tabular-nums ${isBad ? 'text-bad' : ''}`}>{value}</dd>
    {children !== undefined && <dd>{children}</dd>}
  </div>
);
