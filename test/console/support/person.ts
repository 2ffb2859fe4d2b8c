import type { Locator, Page } from 'playwright-core';

/**
 * Somebody who works with the console, by mouse or by keyboard alone. How long they take is counted as the keystroke-level
 * model does, since a machine is quicker, or slower, than people: a key, a way of the hand to a thing and a click on it, and a
 * thought before each of these acts.
 */

export type Hands = 'mouse' | 'keyboard';

const KEY_S = 0.28;
const CLICK_S = 1.3;
const THOUGHT_S = 1.35;
/** Tabs that one presses at most before what one looks for has the focus. */
const MOST_TABS = 60;

export class Person {
  readonly page: Page;
  readonly hands: Hands;
  #took_s = 0;

  constructor(page: Page, hands: Hands) {
    this.page = page;
    this.hands = hands;
  }

  /** How long a person would have taken until now. */
  get took_s(): number {
    return this.#took_s;
  }

  async key(key: string): Promise<void> {
    this.#took_s += KEY_S;
    await this.page.keyboard.press(key);
  }

  /** Presses a button, follows a link, marks a box. */
  async press(target: Locator, key = 'Enter'): Promise<void> {
    if (this.hands === 'mouse') return this.#click(target);
    await this.#tabTo(target);
    await this.key(key);
  }

  async type(text: string): Promise<void> {
    this.#took_s += text.length * KEY_S;
    await this.page.keyboard.type(text);
  }

  async fill(field: Locator, text: string): Promise<void> {
    await (this.hands === 'mouse' ? this.#click(field) : this.#tabTo(field));
    await this.type(text);
  }

  /** Chooses in a list that the browser shows. */
  async choose(list: Locator, label: string): Promise<void> {
    if (this.hands === 'mouse') {
      this.#took_s += 2 * (CLICK_S + THOUGHT_S);
      await list.selectOption({ label });
      return;
    }
    await this.#tabTo(list);
    await this.type(label);
  }

  /** Opens a row of a table. */
  async open(row: Locator): Promise<void> {
    if (this.hands === 'mouse') return this.#click(row);
    const id = await row.getAttribute('id');
    const grid = this.page.getByRole('grid').filter({ has: this.page.locator(`[id="${id ?? ''}"]`) });
    await this.#tabTo(grid);
    while ((await grid.getAttribute('aria-activedescendant')) !== id) await this.key('j');
    await this.key('Enter');
  }

  /** Goes to what has a name, from anywhere. */
  async goTo({ name, kind }: { readonly name: string; readonly kind: string }): Promise<void> {
    if (this.hands === 'mouse') await this.#click(this.page.getByRole('button', { name: /^Go to …/ }));
    else await this.key('Control+k');
    await this.page.getByRole('combobox', { name: 'Name or id' }).waitFor();
    await this.type(name);
    const place = this.page.getByRole('option').filter({ hasText: new RegExp(`^${name}${kind}$`) });
    if (this.hands === 'mouse') await this.#click(place);
    else {
      await place.and(this.page.locator('[aria-selected=true]')).waitFor();
      await this.key('Enter');
    }
    await this.page.getByRole('dialog').waitFor({ state: 'detached' });
  }

  async #click(target: Locator): Promise<void> {
    this.#took_s += CLICK_S + THOUGHT_S;
    await target.click();
  }

  async #tabTo(target: Locator): Promise<void> {
    this.#took_s += THOUGHT_S;
    await target.waitFor();
    for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
      if ((await target.and(this.page.locator(':focus')).count()) === 1) return;
      await this.key('Tab');
    }
    throw new Error(`${target.toString()} has no focus after ${MOST_TABS} tabs.`);
  }
}
