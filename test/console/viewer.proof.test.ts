import { randomUUID } from 'node:crypto';
import { useFixture } from '@roadstead/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { api, platform, useConsole } from './support/console.ts';
import { consolePaths, isOf } from './support/console-routes.ts';
import { pressAll } from './support/button-sweep.ts';
import { type HostileView, shows } from './support/hostile-texts.ts';
import { makeHostileThings } from './support/hostile-things.ts';
import { goToView } from './support/view-sweep.ts';
import { watchRequests } from './support/quiet-page.ts';

/** Every view opens for people who may only see, and nothing that they can press is refused. */

const { blankPage } = useConsole();
const things = useFixture(makeHostileThings);
const PASSWORD = 'eleven quiet herons';
const viewer = useFixture(async () => {
  const name = `viewer-${randomUUID().slice(0, 8)}`;
  const body = { name, password: PASSWORD, role: 'viewer' };
  const { id } = await api<{ id: string }>('/v2/users', { method: 'POST', body });
  return { name, [Symbol.asyncDispose]: () => api<void>(`/v2/users/${id}`, { method: 'DELETE' }) };
});

async function viewerAt(path: string): Promise<Page> {
  const page = await blankPage();
  await page.goto(`${platform.url}/console${path}`);
  await page.getByLabel('Name', { exact: true }).fill(viewer().name);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Menu' }).waitFor({ state: 'attached' });
  return page;
}

/** Views of what is nobody's, or everybody's. */
const others = [
  shows('/settings', 'Shared links'),
  shows('/settings/retention', 'Retention'),
  shows('/settings/workspace', 'Workspace'),
  shows('/settings/people'),
  shows('/settings/applications'),
];
/** What a viewer may not see at all; the menu leads nobody there. */
const CLOSED = /^\/(?:talk|inbox|settings\/(?:keys|people|applications))\b/;
const views = (): readonly HostileView[] =>
  [...things().views, ...others].map(({ path, shows: text }) =>
    shows(path, CLOSED.test(path) ? 'You may not see this' : text),
  );

/** Forms whose answer stays in the browser. */
const OWN = ['Saved views: Save this view …'];

/** Notes what a page is refused, and where it fails. */
function watch(page: Page): string[] {
  const found: string[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (response.status() === 403) found.push(`${response.request().method()} ${pathname} is refused`);
  });
  page.on('pageerror', (error) => found.push(`an error: ${error.message}`));
  return found;
}

test('when a viewer opens any view, then nothing that it asks or offers is refused', async () => {
  const all = views();
  const unswept = consolePaths.filter((route) => ![...all, ...things().shared].some(isOf(route)));
  expect(unswept).toEqual([]);
  const page = await viewerAt('');
  const found = watch(page);
  const allAnswered = watchRequests(page);
  const faults: Record<string, readonly string[]> = {};
  let pressed = 0;
  for (const view of all) {
    const why = (await goToView(page, view)) ? [] : [`${view.shows} is not shown`];
    await allAnswered();
    const offered = await pressAll(page, () => goToView(page, view));
    pressed += offered.pressed.length;
    await allAnswered();
    const asking = offered.asking
      .filter((name) => !OWN.includes(name))
      .map((name) => `“${name}” asks for what a viewer may not do`);
    const here = [...why, ...asking, ...found.splice(0)];
    if (here.length > 0) faults[view.path] = here;
  }
  expect(faults).toEqual({});
  expect(all.length).toBeGreaterThanOrEqual(61);
  expect(pressed).toBeGreaterThan(120);
});
