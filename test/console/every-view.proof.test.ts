import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { lookAt, useConsole } from './support/console.ts';
import { everyView } from './support/every-view.ts';
import { makeHostileThings } from './support/hostile-things.ts';
import { goToView } from './support/view-sweep.ts';

/** Every view with texts as long and strange as may be: in light, in dark and on a phone. */

const { signedIn } = useConsole();
const things = useFixture(makeHostileThings);

test('when a view is looked at in light, in dark and on a phone, then nothing hinders anybody', async () => {
  const page = await signedIn();
  const faults: Record<string, string> = {};
  for (const view of everyView(things())) {
    if (!(await goToView(page, view))) faults[view.path] = `${view.shows} is not shown`;
    else
      await lookAt(page).catch((error: Error) => {
        faults[view.path] = error.message;
      });
  }
  expect(faults).toEqual({});
});
