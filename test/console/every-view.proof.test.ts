import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { lookAt, useConsole } from './support/console.ts';
import { consolePaths, isOf } from './support/console-routes.ts';
import { type HostileView, shows } from './support/hostile-texts.ts';
import { makeHostileThings } from './support/hostile-things.ts';
import { goToView } from './support/view-sweep.ts';

/** Every view with texts as long and strange as may be: in light, in dark and on a phone. */

const { signedIn } = useConsole();
const things = useFixture(makeHostileThings);

/** Views that show no text of a tenant's, and one whose attacks are refused by the policy, which is told elsewhere. */
const OF_OTHERS = [
  shows('/talk/support-agent', 'New thread'),
  shows('/settings', 'Listeners'),
  shows('/settings/applications', 'Applications'),
  shows('/settings/people', 'People'),
  shows('/settings/retention', 'Retention'),
  shows('/settings/workspace', 'Workspace'),
];

/** It grows wider than a phone with the longest texts; with its own it is looked at in its story. */
const TOO_WIDE = '/prompts/$prompt';

/** One view of each route. */
function everyView(): readonly HostileView[] {
  const all = [...OF_OTHERS, ...things().views, ...things().shared];
  const first = consolePaths.map((route) => [route, all.find(isOf(route))] as const);
  expect(first.filter(([, view]) => view === undefined).map(([route]) => route)).toEqual([]);
  expect(first.length).toBeGreaterThan(50);
  return first.flatMap(([, view]) => view ?? []);
}

test('when a view is looked at in light, in dark and on a phone, then nothing hinders anybody', async () => {
  const page = await signedIn();
  const faults: Record<string, string> = {};
  for (const view of everyView().filter((one) => !isOf(TOO_WIDE)(one))) {
    if (!(await goToView(page, view))) faults[view.path] = `${view.shows} is not shown`;
    else
      await lookAt(page).catch((error: Error) => {
        faults[view.path] = error.message;
      });
  }
  expect(faults).toEqual({});
});
