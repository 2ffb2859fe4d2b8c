/** A person before a browser without a browser: follows redirects, keeps cookies, reads forms and posts them. */

interface Cookie {
  readonly value: string;
  readonly path: string;
}

export interface Page {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly headers: Headers;
  /** Set where the last redirect leads elsewhere: to the client. */
  readonly left_for?: string;
}

export type Credential = { readonly key: string } | { readonly name: string; readonly password: string };

export class Person {
  readonly #cookies = new Map<string, Cookie>();
  page: Page = { status: 0, url: '', text: '', headers: new Headers() };

  /** Opens an address and follows redirects as long as they stay at its origin. */
  async open(address: string, init: RequestInit = {}): Promise<Page> {
    const { origin } = new URL(address);
    let [url, request] = [address, init];
    for (let step = 0; step < 10; step += 1) {
      const answer = await fetch(url, {
        ...request,
        redirect: 'manual',
        headers: { ...(request.headers as object), cookie: this.#cookiesFor(new URL(url).pathname) },
      });
      this.#keep(answer, new URL(url).pathname);
      const location = answer.headers.get('location');
      const text = await answer.text();
      this.page = { status: answer.status, url, text, headers: answer.headers };
      if (location === null) return this.page;
      const next = new URL(location, url);
      if (next.origin !== origin) return (this.page = { ...this.page, left_for: next.href });
      [url, request] = [next.href, {}];
    }
    throw new Error('The redirects never end.');
  }

  /** Posts the form of the page that has these fields, as its button does. */
  async submit(fields: Readonly<Record<string, string | readonly string[]>>): Promise<Page> {
    const { text, url } = this.page;
    const forms = [...text.matchAll(/<form[^>]*method="post"[^>]*action="([^"]*)"[^>]*>([^]*?)<\/form>/g)];
    const wanted = Object.keys(fields);
    const found = forms.find(([, , inside = '']) =>
      wanted.every((name) => inside.includes(`name="${name}"`)),
    );
    if (found === undefined) throw new Error(`There is no form with ${wanted.join(', ')}: ${text}`);
    const [, action = '', inside = ''] = found;
    const body = new URLSearchParams();
    for (const [input] of inside.matchAll(/<input[^>]*type="hidden"[^>]*>/g))
      body.append(attribute(input, 'name'), attribute(input, 'value'));
    for (const [name, value] of Object.entries(fields))
      for (const one of typeof value === 'string' ? [value] : value) body.append(name, one);
    return this.open(new URL(action, url).href, {
      method: 'POST',
      body,
      headers: { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' },
    });
  }

  signIn(credential: Credential): Promise<Page> {
    return this.submit({ ...credential, do: 'sign-in' });
  }

  /** The scopes that the page offers, and whether each is ticked. */
  offered(): Record<string, boolean> {
    const boxes = [...this.page.text.matchAll(/<input[^>]*type="checkbox"[^>]*>/g)];
    return Object.fromEntries(boxes.map(([box]) => [attribute(box, 'value'), / checked/.test(box)]));
  }

  /** Allows what is ticked and more; where the client is called. */
  async allow(...more: string[]): Promise<string> {
    const ticked = Object.entries(this.offered()).flatMap(([scope, is_ticked]) => (is_ticked ? [scope] : []));
    const { left_for, text } = await this.submit({ scope: [...ticked, ...more], do: 'allow' });
    if (left_for === undefined) throw new Error(`This leads to no client: ${text}`);
    return left_for;
  }

  /** Another tab of the same browser. */
  twin(): Person {
    const twin = new Person();
    for (const [name, cookie] of this.#cookies) twin.#cookies.set(name, cookie);
    return twin;
  }

  /** The cookies as the browser sends them to a path. */
  header(path: string): string {
    return this.#cookiesFor(path);
  }

  cookies(): string[] {
    return [...this.#cookies.keys()];
  }

  #cookiesFor(path: string): string {
    return [...this.#cookies]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  #keep(answer: Response, path: string): void {
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      const said = Object.fromEntries(
        attributes.map((one) => [one.split('=')[0]?.toLowerCase(), one.split('=')[1] ?? '']),
      );
      if (!('httponly' in said) || said['samesite']?.toLowerCase() !== 'lax')
        throw new Error(`A cookie that scripts or other sites reach: ${line}`);
      const is_over = Date.parse(said['expires'] ?? '') <= Date.now() || said['max-age'] === '0';
      if (is_over) this.#cookies.delete(name);
      else this.#cookies.set(name, { value, path: said['path'] ?? path });
    }
  }
}

function attribute(tag: string, name: string): string {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  return value
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}
