import { useFixture } from '@roadstead/testing';
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { platform, useConsole } from './support/console.ts';
import { consolePaths } from './support/console-routes.ts';
import { everyView } from './support/every-view.ts';
import type { HostileView } from './support/hostile-texts.ts';
import { makeHostileThings } from './support/hostile-things.ts';

/** Every view while the API fails, and once it answers again. */

const { signedIn } = useConsole();
const things = useFixture(makeHostileThings);

const REASON = 'The disk is full.';
/** What the page is made of, and how it knows who is signed in. */
const OF_THE_PAGE = /^\/(?:console|oauth)(?:\/|$)|^\/v2\/caller$/;

/** Fails what a page asks the API while it is on, and remembers what was not answered since. */
class Outage {
  isOn = false;
  readonly unanswered = new Set<string>();

  static async on(page: Page): Promise<Outage> {
    const outage = new Outage();
    await page.route('**', (route) => outage.#answer(route));
    return outage;
  }

  async #answer(route: Route): Promise<void> {
    const request = route.request();
    const { pathname } = new URL(request.url());
    if (OF_THE_PAGE.test(pathname)) return route.fallback();
    const read = `${request.method()} ${pathname}`;
    if (!this.isOn) {
      this.unanswered.delete(read);
      return route.fallback();
    }
    this.unanswered.add(read);
    return route.fulfill({ status: 500, json: { detail: REASON } });
  }
}

interface OutageOfView {
  readonly outage: Outage;
  readonly view: HostileView;
}

/** Opens a view while nothing answers, and presses “Try again” once when all does; the page is not loaded again. */
async function failAndRecover(page: Page, { outage, view: { path, shows } }: OutageOfView): Promise<void> {
  // The page before asks nothing more.
  await page.goto('about:blank');
  outage.unanswered.clear();
  outage.isOn = true;
  await page.goto(`${platform.url}/console${path}`);
  const again = page.getByRole('button', { name: 'Try again' });
  await again.first().waitFor();
  // A view that asks again by itself waits meanwhile.
  await expect
    .poll(() => page.getByRole('alert').allInnerTexts())
    .toContainEqual(expect.stringContaining(REASON));
  expect([...outage.unanswered]).not.toEqual([]);
  await page.evaluate('self.isSamePage = true');
  outage.isOn = false;
  await again.first().click();
  await page.locator('#content, main').getByText(shows).filter({ visible: true }).first().waitFor();
  await again.first().waitFor({ state: 'detached' });
  await expect.poll(() => [...outage.unanswered]).toEqual([]);
  expect(await page.evaluate('self.isSamePage')).toBe(true);
}

test('when the API fails, then each view says why, and is whole once it is asked again', async () => {
  const page = await signedIn();
  const outage = await Outage.on(page);
  const faults: Record<string, string> = {};
  const views = everyView(things());
  for (const view of views)
    await failAndRecover(page, { outage, view }).catch((error: Error) => {
      faults[view.path] = error.message;
    });
  expect(faults).toEqual({});
  expect(views.length).toBe(consolePaths.length);
});
