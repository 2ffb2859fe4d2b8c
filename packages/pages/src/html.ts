/** HTML that can't be broken out of: every value in a template is escaped, unless it is HTML itself. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  static of(strings: readonly string[], values: readonly Value[]): Html {
    return new Html(
      strings.map((text, at) => text + (at < values.length ? written(values[at]) : '')).join(''),
    );
  }

  toString(): string {
    return this.#text;
  }
}

/** Absent and false values write nothing. */
type Value = string | number | Html | readonly Html[] | undefined | null | false;

/** Values belong between tags or inside quoted attributes; never in scripts, styles or the names of attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return Html.of(strings, values);
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function written(value: Value): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'object') return value.join('');
  return String(value).replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}
