/** Beyond this, names are not kept: a host may tell any number of them. */
const MAX_NAMES = 1000;
const MAX_NAME_CHARS = 1000;

/** Lets the first of the lines with one name pass: all hosts of a revision say the same of the same code. */
export class OnceLines {
  readonly #names = new Set<string>();

  passes(name: string | undefined): boolean {
    if (name === undefined || name.length > MAX_NAME_CHARS) return true;
    if (this.#names.has(name)) return false;
    if (this.#names.size < MAX_NAMES) this.#names.add(name);
    return true;
  }
}
