import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { useConsole } from './support/console.ts';
import { PlayedListener } from './support/played-listener.ts';

const { signedIn } = useConsole();
const listener = useFixture(() => PlayedListener.open());

/** How many things within the content of the page move by themselves. */
const moving = (page: Page) =>
  page.evaluate<number>(`document.querySelector('main').getAnimations({ subtree: true }).length`);

/** A deployment that its listener has not begun with. */
async function onItsWay() {
  const name = `on-its-way-${randomUUID().slice(0, 6)}`;
  const id = await listener().deploy(name);
  return { id, name };
}

test('when agents are on their way, then none of a list moves, and that of a page does', async () => {
  const { name } = await onItsWay();
  const page = await signedIn(`/console/deployments?q=${name}`);
  await page.getByRole('grid', { name: 'Deployments' }).getByText('preparing').waitFor();
  await expect.poll(() => moving(page)).toBe(0);
  await page.getByRole('link', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await expect.poll(() => moving(page)).toBeGreaterThan(0);
});

test('when somebody asks for less movement, then nothing moves', async () => {
  const { id, name } = await onItsWay();
  const page = await signedIn();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(new URL(`/console/deployments/${id}`, page.url()).href);
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.locator('main').getByText('preparing').first().waitFor();
  await expect.poll(() => moving(page)).toBe(0);
});
