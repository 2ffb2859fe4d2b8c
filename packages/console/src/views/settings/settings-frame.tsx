import { Link, Navigate, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { linkProps } from '../../router/go.ts';
import { mayDo } from '../../session/session.ts';
import { Empty } from '../../ui/answers.tsx';
import { settingsPages } from './settings-pages.ts';

/** The pages beside what is looked at; above it on a narrow screen. */
export function SettingsFrame() {
  const allowed = settingsPages.filter(({ needs }) => mayDo(needs));
  const nav = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // On a narrow screen the pages are in one line, of which some are out of sight.
  useEffect(
    () => nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ inline: 'nearest' }),
    [path],
  );
  const groups = [...Map.groupBy(allowed, ({ group }) => group)];
  return (
    <div className="flex h-full min-h-0 flex-col lg:flex-row">
      <nav
        ref={nav}
        aria-label="Settings"
        className="flex shrink-0 gap-1 overflow-x-auto border-b border-line bg-card px-2 py-1.5 lg:w-44 lg:flex-col lg:gap-3 lg:overflow-y-auto lg:border-r lg:border-b-0 lg:py-3"
      >
        {groups.map(([group, pages]) => (
          <div key={group} className="flex gap-1 lg:flex-col lg:gap-0">
            <span className="hidden px-2 pb-1 text-2xs font-semibold tracking-wide text-quiet uppercase lg:block">
              {group}
            </span>
            {pages.map(({ label, target }) => (
              <Link
                key={label}
                {...linkProps(target)}
                activeOptions={{ includeSearch: false }}
                className="rounded-md px-2 py-1 whitespace-nowrap text-quiet hover:bg-sunk hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent"
              >
                {label}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <div className="min-h-0 min-w-0 flex-1 overflow-y-auto">
        <Outlet />
      </div>
    </div>
  );
}

/** Leads to the first page that the caller may see. */
export function FirstPage() {
  const first = settingsPages.find(({ needs }) => mayDo(needs));
  if (first === undefined) return <Empty title="There is nothing that you may set here" />;
  return <Navigate {...linkProps(first.target)} replace />;
}
