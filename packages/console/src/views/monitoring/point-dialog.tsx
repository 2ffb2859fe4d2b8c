import { queryOptions, useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { traces } from '../../api/clients.ts';
import { ProjectName } from '../../choices/project-name.tsx';
import { at } from '../../router/addresses.ts';
import { linkProps } from '../../router/go.ts';
import { Answer } from '../../ui/answers.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { GoTo } from '../../ui/link.tsx';
import { count } from '../../words/number-rules.ts';
import { instant } from '../../words/time-rules.ts';

/** A point of a chart over several projects. */
export interface Point {
  readonly from: string;
  readonly to: string;
  readonly runs: 'roots' | 'all';
  readonly filter: string | undefined;
}

const MOST = 20;

/** The projects with runs of a point, those with the most first. */
const projectsQuery = ({ from, to, runs, filter }: Point) =>
  queryOptions({
    queryKey: ['series', 'point', from, to, runs, filter],
    queryFn: async ({ signal }) => {
      const { series } = await traces.querySeries({
        body: {
          start_time: from,
          end_time: new Date(Date.parse(to) + 1).toISOString(),
          bucket_s: 86_400,
          runs,
          select: [],
          group_by: { attribute: 'project', max_groups: MOST },
          compare: false,
          ...(filter !== undefined && { filter }),
        },
        signal,
      });
      return {
        groups: series.flatMap(({ group, total }) =>
          group === null ? [] : [{ id: group, runs: total.runs }],
        ),
        others: series.some(({ kind }) => kind === 'other'),
      };
    },
  });

/** The traces of a point. */
export const pointTarget = (project: string, { from, to, runs, filter }: Point) =>
  at.project(project, { from, to, filter, ...(runs === 'all' && { runs }) });

/** Offers the projects that have runs at a point; a single one is opened at once. */
export function PointDialog({ point, onClose }: { readonly point: Point; readonly onClose: () => void }) {
  const found = useQuery(projectsQuery(point));
  return (
    <Dialog title={`Traces from ${instant(Date.parse(point.from))}`} isOpen onClose={onClose}>
      <Answer of={found}>
        {({ groups, others }) => {
          const [first, ...further] = groups;
          if (first === undefined) return <p>No runs began then.</p>;
          if (further.length === 0) return <Navigate {...linkProps(pointTarget(first.id, point))} replace />;
          return (
            <>
              <p className="pb-2 text-quiet">Several projects have runs there:</p>
              <ul aria-label="Projects of this point" className="flex flex-col gap-1">
                {groups.map(({ id, runs }) => (
                  <li key={id}>
                    <GoTo target={pointTarget(id, point)}>
                      <ProjectName id={id} />
                    </GoTo>{' '}
                    <span className="text-quiet tabular-nums">
                      {count(runs)} {runs === 1 ? 'run' : 'runs'}
                    </span>
                  </li>
                ))}
              </ul>
              {others && <p className="pt-2 text-quiet">Further projects have fewer.</p>}
            </>
          );
        }}
      </Answer>
    </Dialog>
  );
}
