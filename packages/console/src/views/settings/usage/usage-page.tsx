import { queryOptions, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { callerQuery } from '../../../api/caller.ts';
import { traces } from '../../../api/clients.ts';
import { at } from '../../../router/addresses.ts';
import { useGo } from '../../../router/go.ts';
import { Answer } from '../../../ui/answers.tsx';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { Card, Page } from '../../../ui/page.tsx';
import { useNow } from '../../../ui/time.tsx';
import { count } from '../../../words/number-rules.ts';
import { UsageLimits } from './usage-limits.tsx';
import {
  type DayUsage,
  isMonth,
  monthAfter,
  monthName,
  monthOf,
  type ProjectUsage,
  usageByDay,
  usageByProject,
} from './usage-rules.ts';

const begin = (month: string) => `${month}-01T00:00:00Z`;

const daysQuery = (month: string) =>
  queryOptions({
    queryKey: ['usage', 'days', month],
    queryFn: async ({ signal }) =>
      usageByDay(
        await traces.readUsage({
          query: { starting_on: begin(month), ending_before: begin(monthAfter(month)) },
          signal,
        }),
      ),
  });

const projectsQuery = (month: string, workspace: string) =>
  queryOptions({
    queryKey: ['usage', 'projects', month, workspace],
    queryFn: async ({ signal }) => {
      const { usage } = await traces.readGranularUsage({
        query: {
          start_time: begin(month),
          end_time: begin(monthAfter(month)),
          workspace_ids: [workspace],
          group_by: 'project',
        },
        signal,
      });
      return usageByProject(usage);
    },
  });

/** How many traces came in a month, of which project, and what is allowed. */
export function UsagePage() {
  const { month: asked = '' } = useSearch({ strict: false });
  const present = monthOf(useNow());
  const month = isMonth(asked) ? asked : present;
  const go = useGo();
  const show = (other: string) => go(at.settings('usage', { month: other }));
  return (
    <Page
      title="Usage and limits"
      actions={
        <div className="flex items-center gap-2">
          <Button aria-label="The month before" onClick={() => show(monthAfter(month, -1))}>
            <Icon name="back" />
          </Button>
          <span className="min-w-32 text-center font-medium">{monthName(month)}</span>
          <Button
            aria-label="The month after"
            because={month >= present ? 'This month is not over.' : undefined}
            onClick={() => show(monthAfter(month))}
          >
            <Icon name="chevron" />
          </Button>
        </div>
      }
    >
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Days month={month} />
        <div className="flex flex-col gap-4">
          <UsageLimits />
          <Projects month={month} />
        </div>
      </div>
    </Page>
  );
}

function Days({ month }: { readonly month: string }) {
  const days = useQuery(daysQuery(month));
  return (
    <Card title="Traces by day">
      <Answer of={days}>
        {(found) =>
          found.length === 0 ? (
            <p className="text-quiet">No trace came in this month.</p>
          ) : (
            <DayTable days={found} />
          )
        }
      </Answer>
    </Card>
  );
}

function DayTable({ days }: { readonly days: readonly DayUsage[] }) {
  const most = Math.max(1, ...days.map(({ traces: value }) => value));
  const sum = (of: (day: DayUsage) => number) => days.reduce((total, day) => total + of(day), 0);
  return (
    <table className="w-full text-right tabular-nums">
      <caption className="sr-only">Traces by day</caption>
      <thead className="text-xs text-quiet">
        <tr>
          <th scope="col" className="text-left font-normal">
            Day
          </th>
          <th scope="col" className="font-normal">
            Traces
          </th>
          <th scope="col" className="font-normal">
            Kept long
          </th>
        </tr>
      </thead>
      <tbody>
        {days.map(({ day, traces: value, longlived }) => (
          <tr key={day} className="border-t border-line">
            <th scope="row" className="py-1 text-left font-normal">
              {day}
              <Bar part={value / most} />
            </th>
            <td>{count(value)}</td>
            <td>{count(longlived)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className="border-t-2 border-line font-semibold">
          <th scope="row" className="py-1 text-left">
            The month
          </th>
          <td>{count(sum((day) => day.traces))}</td>
          <td>{count(sum((day) => day.longlived))}</td>
        </tr>
      </tfoot>
    </table>
  );
}

const Bar = ({ part }: { readonly part: number }) => (
  <span aria-hidden="true" className="block h-1 rounded-full bg-accent" style={{ width: `${part * 100}%` }} />
);

function Projects({ month }: { readonly month: string }) {
  const { data: caller } = useQuery(callerQuery);
  const workspace = caller?.workspace?.id ?? '';
  const projects = useQuery({ ...projectsQuery(month, workspace), enabled: workspace !== '' });
  return (
    <Card title="Traces by project">
      <Answer of={projects}>
        {(found) =>
          found.length === 0 ? (
            <p className="text-quiet">No project received one in this month.</p>
          ) : (
            <ProjectList projects={found} />
          )
        }
      </Answer>
    </Card>
  );
}

function ProjectList({ projects }: { readonly projects: readonly ProjectUsage[] }) {
  const most = Math.max(1, projects[0]?.traces ?? 1);
  return (
    <ul className="flex max-h-96 flex-col gap-2 overflow-y-auto" tabIndex={0} aria-label="Traces by project">
      {projects.map(({ project, traces: value }) => (
        <li key={project}>
          <span className="flex justify-between gap-3">
            <span className="truncate">{project}</span>
            <span className="tabular-nums">{count(value)}</span>
          </span>
          <Bar part={value / most} />
        </li>
      ))}
    </ul>
  );
}
