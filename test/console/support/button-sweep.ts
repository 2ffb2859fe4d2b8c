import type { Page } from 'playwright-core';

/** Presses what a view offers, for who watches whether any of it is refused. */

interface PressedButtons {
  /** What was pressed: a button, or an entry of its menu. */
  readonly pressed: readonly string[];
  /** Those that opened a form to fill in: what acts asks first. */
  readonly asking: readonly string[];
}

const BUTTONS = 'main button:enabled, main [role=button]';
const ENTRIES = '[role=menuitem]:not([data-disabled])';

const shown = (selector: string) =>
  `[...document.querySelectorAll('${selector}')].filter((one) => one.checkVisibility())
    .map((one) => [(one.getAttribute('aria-label') ?? one.textContent).trim(), one])`;

const namesOf = async (page: Page, selector: string): Promise<readonly string[]> => [
  ...new Set(await page.evaluate<string[]>(`${shown(selector)}.map(([name]) => name)`)),
];

/** Presses the first of a name, and waits until the page has drawn what came of it. */
const press = (page: Page, { selector, name }: { readonly selector: string; readonly name: string }) =>
  page.evaluate(`new Promise((done) => {
    const [, one] = ${shown(selector)}.find(([name]) => name === ${JSON.stringify(name)}) ?? [];
    one?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));
  })`);

const isAsking = (page: Page) =>
  page.evaluate<boolean>(`document.querySelector('[role=dialog] [type=submit]') !== null`);

/** Presses each button of a view, and each entry of its menus; goes back to the view where one led elsewhere. */
export async function pressAll(page: Page, again: () => Promise<unknown>): Promise<PressedButtons> {
  const [pressed, asking]: [string[], string[]] = [[], []];
  const address = page.url();
  const note = async (name: string) => {
    pressed.push(name);
    if (await isAsking(page)) asking.push(name);
    await page.keyboard.press('Escape');
    if (page.url() !== address) await again();
  };
  for (const name of await namesOf(page, BUTTONS)) {
    await press(page, { selector: BUTTONS, name });
    const entries = await namesOf(page, ENTRIES);
    if (entries.length === 0) await note(name);
    for (const entry of entries) {
      if ((await namesOf(page, ENTRIES)).length === 0) await press(page, { selector: BUTTONS, name });
      await press(page, { selector: ENTRIES, name: entry });
      await note(`${name}: ${entry}`);
    }
  }
  return { pressed, asking };
}
