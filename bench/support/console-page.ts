import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openBrowser } from '@roadstead/testing/browser';
import type { RunningPlatform } from '../../test/support/platform.ts';
import { atLeast, atMost, type Report } from './report.ts';

/** The console in a real browser, as somebody has it who has just signed in. */

export interface ConsolePage extends AsyncDisposable {
  readonly page: Page;
  /** Loads an address of the console, and waits until something is in sight. */
  go(path: string, mark: Mark): Promise<void>;
  /** What is in sight when, after an act that is a click or a key. */
  time<Name extends string>(
    act: () => Promise<unknown>,
    marks: Readonly<Record<Name, Mark>>,
  ): Promise<Passage<Name>>;
  scroll(asked: Scroll): Promise<Frames>;
}

/** Something in a page: by its selector, and by a text in it. */
export interface Mark {
  readonly selector: string;
  readonly text?: string;
}

interface Passage<Name extends string> {
  readonly seen: Readonly<Record<Name, number>>;
  readonly longest_ms: number;
}

interface Scroll {
  readonly selector?: string;
  /** So many pixels a frame. */
  readonly px?: number;
  readonly ms?: number;
}

interface Frames {
  readonly frames: number;
  readonly at_60: number;
  readonly at_30: number;
  readonly longest_ms: number;
}

const CLOCK = fileURLToPath(new URL('page-clock.js', import.meta.url));
const PATIENCE_MS = 180_000;
const SCROLLED_MS = 4000;

/** Undefined where no browser starts. */
export async function openConsole(platform: RunningPlatform): Promise<ConsolePage | undefined> {
  const opened = await openBrowser();
  if (opened === undefined) return undefined;
  const context = await opened.browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
  });
  await context.addInitScript({ path: CLOCK });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const answer = await platform.fetch(`${platform.url}/v2/sign-in-links`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  await page.goto(((await answer.json()) as { readonly url: string }).url);
  await page.getByRole('navigation', { name: 'Menu' }).waitFor();
  return {
    page,
    go: async (path, { selector, text }) => {
      await page.goto(platform.url + path);
      await page
        .locator(selector, text === undefined ? {} : { hasText: text })
        .first()
        .waitFor();
    },
    time: async <Name extends string>(act: () => Promise<unknown>, marks: Readonly<Record<Name, Mark>>) => {
      await page.evaluate(`pageClock.arm(${JSON.stringify(marks)}, ${PATIENCE_MS})`);
      await act();
      return page.evaluate<Passage<Name>>('pageClock.watched');
    },
    scroll: async ({ selector, px = 400, ms = SCROLLED_MS }) =>
      page.evaluate<Frames>(`pageClock.scroll(${JSON.stringify({ selector, px, ms })})`),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** Tells how frames went, beside their target. */
export function tellFrames(report: Report, name: string, { frames, at_60, at_30, longest_ms }: Frames): void {
  const share = (of: number) => `${(of * 100).toFixed(0)} %`;
  report.note(
    `${name.padEnd(58)} ${share(at_60)} within 16.7 ms, ${share(at_30)} within 33 ms, longest ${longest_ms.toFixed(0)} ms (${frames} frames)`,
  );
  report.ratio(`${name}: frames within 16.7 ms`, at_60 * 100, atLeast(95, '%'));
}

/** Tells how long an act took, beside its target. */
export function tellTime(
  report: Report,
  name: string,
  {
    ms,
    most_ms = 1000,
    longest_ms,
  }: { readonly ms: number; readonly most_ms?: number; readonly longest_ms: number },
): void {
  report.note(
    `${name.padEnd(58)} ${ms.toFixed(0).padStart(6)} ms, longest frame ${longest_ms.toFixed(0)} ms`,
  );
  report.ratio(name, ms, atMost(most_ms, 'ms'));
}
