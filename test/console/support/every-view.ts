import { expect } from 'vitest';
import { consolePaths, isOf } from './console-routes.ts';
import { type HostileView, shows } from './hostile-texts.ts';
import type { HostileThings } from './hostile-things.ts';

/** Views that show no text of a tenant's. */
const OF_OTHERS = [
  shows('/talk/support-agent', 'New thread'),
  shows('/settings', 'Listeners'),
  shows('/settings/applications', 'Applications'),
  shows('/settings/people', 'People'),
  shows('/settings/retention', 'Retention'),
  shows('/settings/workspace', 'Workspace'),
];

/** One view of each route. */
export function everyView({
  views,
  shared,
}: Pick<HostileThings, 'views' | 'shared'>): readonly HostileView[] {
  const all = [...OF_OTHERS, ...views, ...shared];
  const first = consolePaths.map((route) => [route, all.find(isOf(route))] as const);
  expect(first.filter(([, view]) => view === undefined).map(([route]) => route)).toEqual([]);
  expect(first.length).toBeGreaterThan(50);
  return first.flatMap(([, view]) => view ?? []);
}
