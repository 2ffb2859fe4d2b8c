import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe, { type AxeResults } from 'axe-core';
import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import { eventually, useFixturePerTest } from '@roadstead/testing';
import { openBrowser } from '@roadstead/testing/browser';
import { beforeEach, expect, inject } from 'vitest';
import type { SharedPlatform } from './console-setup.ts';

/** What stories of the console share: a person who is signed in, in a real browser, against a real platform. */

const told = JSON.parse(
  await eventually(() => readFile(inject('platform_file'), 'utf8'), { within_ms: 240_000 }),
) as SharedPlatform | { readonly failure: string };
if ('failure' in told) throw new Error(told.failure);
export const platform: SharedPlatform = told;

/** Calls the API, with the first key where no other is given, to make what a story looks at, and to read back what it did. */
export async function api<T = unknown>(
  path: string,
  {
    method = 'GET',
    body,
    key = platform.key,
  }: { readonly method?: string; readonly body?: unknown; readonly key?: string } = {},
): Promise<T> {
  const answer = await fetch(platform.url + path, {
    method,
    headers: {
      'x-api-key': key,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

const SHOTS =
  process.env['ROADSTEAD_SCREENSHOTS'] === '1'
    ? fileURLToPath(new URL('../../../docs/console/', import.meta.url))
    : undefined;

/** A browser for each test; all are skipped, loudly, where none starts. */
export function useConsole() {
  // The bundled browser is a single process, whose contexts may send each other's cookies.
  const opened = useFixturePerTest(openBrowser);
  const pages: Page[] = [];
  beforeEach(({ skip, onTestFailed }) => {
    skip(opened() === undefined, 'no browser starts here');
    pages.length = 0;
    onTestFailed(async () => {
      for (const page of pages) process.stderr.write(`${await seenOn(page)}\n`);
    });
  });
  /** A page of a person who has just signed in by an address that is good once, as whom the key stands for. */
  const signedIn = async (
    to = '/console',
    { key = platform.key, ...options }: BrowserContextOptions & { readonly key?: string } = {},
  ): Promise<Page> => {
    const page = await blankPage(options);
    const { url } = await api<{ url: string }>('/v2/sign-in-links', { method: 'POST', body: {}, key });
    await page.goto(url);
    await page.getByRole('navigation', { name: 'Menu' }).waitFor({ state: 'attached' });
    if (to !== '/console' || platform.is_foreign) {
      await page.goto(platform.url + to);
      await page.getByRole('navigation', { name: 'Menu' }).waitFor({ state: 'attached' });
    }
    return page;
  };
  const blankPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await opened()?.browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale: 'en-GB',
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    });
    if (context === undefined) throw new Error('There is no browser.');
    if (platform.is_foreign) await context.route(/\/console(\/|$|\?)/, ownFiles);
    const page = await context.newPage();
    pages.push(page);
    const faults: string[] = [];
    faultsOf.set(page, faults);
    page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' && /security policy|violates|React/i.test(message.text()))
        faults.push(`${page.url()}: ${message.text()}`);
    });
    return page;
  };
  return { signedIn, blankPage };
}

/** What somebody would see who looked over one's shoulder, for a story that fails elsewhere. */
async function seenOn(page: Page): Promise<string> {
  const text = await page
    .evaluate<string>('document.body.innerText')
    .catch((error: unknown) => String(error));
  return `${new URL(page.url()).pathname} showed:\n${text.replaceAll(/^/gm, '    ')}`;
}

const DIST = fileURLToPath(new URL('../../../packages/console/dist/', import.meta.url));

/** Scripts and styles, each beside its compressed form, which is what is sent. */
export const CONSOLE_ASSETS = join(DIST, 'assets');

/** Serves the console of this checkout in place of the platform's, whose own page a redirect may have led to. */
async function ownFiles(route: Route): Promise<void> {
  const path = new URL(route.request().url()).pathname.slice('/console/'.length);
  const file = join(DIST, extname(path) === '' ? 'index.html' : path);
  // The page that signing in leads to is the platform's own, with files of its own.
  if (!existsSync(file)) return route.continue();
  // The policy is part of what is tried.
  await route.fulfill({ path: file, ...(extname(path) === '' && { headers: await policyHeader() }) });
}

async function policyHeader(): Promise<Record<string, string>> {
  const { headers } = await fetch(`${platform.url}/console`);
  return { 'content-security-policy': headers.get('content-security-policy') ?? '' };
}

/** Errors that a page threw, and what its policy refused. */
const faultsOf = new WeakMap<Page, string[]>();

const looks = [
  { name: 'light', colorScheme: 'light', width: 1280, height: 800 },
  { name: 'dark', colorScheme: 'dark', width: 1280, height: 800 },
  { name: 'phone', colorScheme: 'light', width: 390, height: 844 },
] as const;

/**
 * Looks at a view in light, in dark and on a phone: nothing serious hinders anybody, nothing is wider than the screen, and
 * nothing failed. With `ROADSTEAD_SCREENSHOTS=1` it keeps pictures in `docs/console`.
 */
export async function lookAt(page: Page, name?: string): Promise<void> {
  for (const { name: look, colorScheme, width, height } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect([look, await hindrances(page)]).toEqual([look, []]);
    expect([look, await overflow(page)]).toEqual([look, 0]);
    if (SHOTS === undefined || name === undefined) continue;
    await mkdir(SHOTS, { recursive: true });
    await page.screenshot({ path: join(SHOTS, `${name}-${look}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(faultsOf.get(page)?.splice(0) ?? []).toEqual([]);
}

/** What axe finds serious or critical, in a line each. */
async function hindrances(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, { resultTypes: ['violations'] })`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}

/** Counts by how many pixels the page is wider than the screen. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate(
    `Math.max(...[document.documentElement, document.querySelector('#content')].map((one) => one === null ? 0 : one.scrollWidth - one.clientWidth))`,
  );
