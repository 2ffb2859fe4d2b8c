import { expect, test } from 'vitest';
import { api, lookAt, platform, useConsole } from './support/console.ts';

/** The frame around all views: colours, the menu on a phone, the palette and the list of keys. */

const { signedIn } = useConsole();

test('when colours are chosen, then the page has them, and keeps them', async () => {
  const page = await signedIn();
  const theme = () => page.evaluate<string | undefined>('document.documentElement.dataset.theme');
  const turn = async (from: string) => {
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: `Colours: ${from}` }).click();
  };
  const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  await turn('as the system');
  expect(await theme()).toBe('light');
  const light = await ground();
  await turn('light');
  expect(await theme()).toBe('dark');
  expect(await ground()).not.toBe(light);
  await page.reload();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  expect(await theme()).toBe('dark');
  await turn('dark');
  expect(await theme()).toBeUndefined();
});

test('when a phone opens the menu, then it leads elsewhere, and closes', async () => {
  const page = await signedIn();
  await page.setViewportSize({ width: 390, height: 844 });
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await menu.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Open the menu' }).click();
  await menu.waitFor();
  await lookAt(page, 'menu');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Close the menu' }).click({ position: { x: 380, y: 400 } });
  await menu.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Open the menu' }).click();
  await menu.getByRole('link', { name: 'Datasets' }).click();
  await page.waitForURL(`${platform.url}/console/datasets`);
  await expect.poll(() => menu.isVisible()).toBe(false);
});

test('when the palette or the list of keys is open, then nothing hinders anybody', async () => {
  const page = await signedIn();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Name or id' }).fill('support');
  await page
    .getByRole('option', { name: /support-agent/ })
    .first()
    .waitFor();
  await lookAt(page, 'palette');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await lookAt(page, 'keys');
  expect(await page.getByRole('dialog', { name: 'Keys' }).isVisible()).toBe(true);
});

test('when keys are pressed on a page, then its table and its search box hear them', async () => {
  const page = await signedIn();
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Deployments' }).click();
  const grid = page.getByRole('grid', { name: 'Deployments' });
  await grid.getByRole('link', { name: 'support-agent' }).waitFor();
  const marked = () => grid.getAttribute('aria-activedescendant');
  await page.locator('main:focus').waitFor();
  await page.keyboard.press('j');
  await grid.and(page.locator(':focus')).waitFor();
  const first = await marked();
  await page.keyboard.press('j');
  await expect.poll(marked).not.toBe(first);
  await page.keyboard.press('k');
  await expect.poll(marked).toBe(first);
  await page.keyboard.press('/');
  const box = page.getByRole('searchbox', { name: 'Search by name or id' });
  await box.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('support-agent');
  await grid.getByRole('link', { name: 'approval-agent' }).waitFor({ state: 'detached' });
  await box.blur();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Go to the next row').waitFor();
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Search by name or id').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'support-agent' }).waitFor();
});

test('when one read of a page fails, then the page says so, and shows all once it is asked again', async () => {
  const [project] = await api<{ id: string }[]>('/sessions?name=support-agent');
  const page = await signedIn();
  let isFull = true;
  await page.route('**/v2/series/query', (route) =>
    isFull ? route.fulfill({ status: 400, json: { detail: 'The disk is full.' } }) : route.fallback(),
  );
  await page.goto(`${platform.url}/console/projects/${project?.id ?? ''}`);
  const bar = page
    .getByRole('alert')
    .filter({ hasText: 'A part of this page could not be read: The disk is full.' });
  await bar.waitFor();
  await lookAt(page);
  isFull = false;
  await bar.getByRole('button', { name: 'Try again' }).click();
  await bar.waitFor({ state: 'detached' });
  expect(await page.getByRole('alert').count()).toBe(0);
});
