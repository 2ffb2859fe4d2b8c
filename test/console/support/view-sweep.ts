import type { Page } from 'playwright-core';
import { platform } from './console.ts';
import type { HostileView } from './hostile-texts.ts';

/** Goes from view to view within one page, since loading the whole page for each of them would take a minute. */

const go = (page: Page, path: string) =>
  page.evaluate(`history.pushState({}, '', ${JSON.stringify(`/console${path}`)})`);

/** Opens a view, and waits until it shows its thing. @returns whether it does */
export async function goToView(page: Page, { path, shows }: HostileView): Promise<boolean> {
  const shown = page.locator('#content, main').getByText(shows).filter({ visible: true }).first();
  if (path.startsWith('/public/')) await page.goto(`${platform.url}/console${path}`);
  else {
    // What was shown before goes first.
    await go(page, '/nowhere');
    await shown.waitFor({ state: 'detached' });
    await go(page, path);
  }
  return shown.waitFor().then(
    () => true,
    () => false,
  );
}
