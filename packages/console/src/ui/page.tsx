import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { Target } from '../router/addresses.ts';
import { linkProps } from '../router/go.ts';
import { GoTo } from './link.tsx';

interface PageProps {
  readonly title: string;
  /** Where this page belongs, outermost first. */
  readonly above?: readonly { readonly label: string; readonly target: Target }[];
  /** What stands beside the title: states, buttons. */
  readonly beside?: ReactNode;
  readonly actions?: ReactNode;
  readonly tabs?: ReactNode;
  /** Whether the content scrolls by itself, as tables and logs do. */
  readonly filled?: boolean;
  readonly children: ReactNode;
}

/** The frame of a view: where one is, what it is, what one can do. */
export function Page({ title, above = [], beside, actions, tabs, filled = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Roadstead`;
  }, [title]);
  return (
    <div className={filled ? 'flex h-full min-h-0 flex-col' : 'flex min-h-full flex-col'}>
      <header className="flex flex-col gap-1 border-b border-line bg-card px-4 pt-3">
        {above.length > 0 && (
          <nav aria-label="Breadcrumb" className="flex min-w-0 gap-1.5 text-xs text-quiet">
            {above.map(({ label, target }) => (
              <span key={label} className="flex min-w-0 gap-1.5">
                <GoTo target={target} className="truncate hover:underline">
                  {label}
                </GoTo>
                <span aria-hidden="true">/</span>
              </span>
            ))}
          </nav>
        )}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 pb-2">
          <h1 className="min-w-0 truncate text-lg font-semibold">{title}</h1>
          {beside}
          <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>
        </div>
        {tabs}
      </header>
      <div className={filled ? 'flex min-h-0 flex-1 flex-col' : 'flex-1 p-4'}>{children}</div>
    </div>
  );
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly label: ReactNode; readonly target: Target; readonly exact?: boolean }[];
}

/** Tabs that are addresses. */
export const TabLinks = ({ label, tabs }: TabsProps) => (
  <nav aria-label={label} className="-mb-px flex gap-4 overflow-x-auto">
    {tabs.map(({ label: text, target, exact = true }) => (
      <Link
        key={target.to}
        {...linkProps(target)}
        activeOptions={{ exact, includeSearch: false }}
        className="border-b-2 border-transparent pb-1.5 whitespace-nowrap text-quiet hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
      >
        {text}
      </Link>
    ))}
  </nav>
);

/** A titled part of a page. */
export const Card = ({
  title,
  actions,
  children,
}: {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) => (
  <section className="rounded-lg border border-line bg-card">
    {title !== undefined && (
      <header className="flex items-center gap-2 border-b border-line px-4 py-2">
        <h2 className="font-semibold">{title}</h2>
        <div className="ml-auto flex items-center gap-2">{actions}</div>
      </header>
    )}
    <div className="p-4">{children}</div>
  </section>
);

/** Names and values, one below the other. */
export const Facts = ({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}) => (
  <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
    {facts.map(([name, value]) => (
      <div key={name} className="contents">
        <dt className="text-quiet">{name}</dt>
        <dd className="min-w-0 wrap-anywhere">{value}</dd>
      </div>
    ))}
  </dl>
);
