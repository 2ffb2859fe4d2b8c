import type { Page, Request } from 'playwright-core';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { api, platform, useConsole } from './support/console.ts';
import { consolePaths, isOf } from './support/console-routes.ts';
import { hostileName, type HostileView, WORD } from './support/hostile-texts.ts';
import { makeHostileThings } from './support/hostile-things.ts';
import { files } from './support/hostile-traces.ts';
import { payloads } from './support/payloads.ts';
import { goToView } from './support/view-sweep.ts';

const { signedIn, blankPage } = useConsole();
const things = useFixture(makeHostileThings);

const { origin } = new URL(platform.url);

/** What a page must not have, beside its own files; each is a line of what was found. */
const FOREIGN_PARTS = `[
  ...(self.ran === undefined ? [] : ['a script ran']),
  ...(self.violations ?? []),
  ...[...document.querySelectorAll('iframe:not([sandbox=""][srcdoc]), iframe[src], object, embed, base, math, marquee, meta[http-equiv], style, use[href*="evil"], form[action*="evil"], [onerror], [onload], [onclick], [onfocus], [onmouseover], [ontoggle]')]
    .map((one) => one.outerHTML.slice(0, 200)),
  ...[...document.scripts].filter((one) => !one.src.startsWith(location.origin + '/console/assets/')).map((one) => one.outerHTML),
  ...[...document.querySelectorAll('[href], [src], [action], [formaction], [data], [srcset]')].flatMap((one) =>
    ['href', 'src', 'action', 'formaction', 'data', 'srcset', 'xlink:href']
      .map((name) => (one.getAttribute(name) ?? '').replaceAll(/[\\u0000-\\u0020]/g, ''))
      .filter((value) => /^(javascript|vbscript|data:text|data:image\\/svg)/i.test(value) || (/^data:/i.test(value) && one.localName === 'a' && !one.hasAttribute('download')))
      .map((value) => one.localName + ': ' + value.slice(0, 100))),
]`;
const WATCH = `document.addEventListener('securitypolicyviolation', (event) => {
  (self.violations ??= []).push(event.violatedDirective + ' refuses ' + (event.blockedURI || event.sample) + ' in ' + event.sourceFile);
});`;

/** Notes what a page does that it must not: dialogs, errors, requests elsewhere, windows. */
async function watch(page: Page): Promise<string[]> {
  const found: string[] = [];
  await page.addInitScript(WATCH);
  page.on('dialog', (dialog) => {
    found.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => found.push(`an error: ${error.message}`));
  const fault = (request: Request) => `a request to ${request.url()}`;
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin)
      found.push(fault(request));
  });
  // What a policy refuses is begun as a request, too, which never leaves.
  page.on('requestfailed', (request) => {
    const at = request.failure()?.errorText === 'csp' ? found.indexOf(fault(request)) : -1;
    if (at >= 0) found.splice(at, 1);
  });
  page.on('popup', (popup) => found.push(`a window: ${popup.url()}`));
  return found;
}

async function look(page: Page, view: HostileView): Promise<readonly string[]> {
  const why = (await goToView(page, view)) ? [] : [`${view.shows} is not shown`];
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))');
  return [...why, ...(await page.evaluate<string[]>(FOREIGN_PARTS))];
}

async function lookAtAll(page: Page, views: readonly HostileView[]): Promise<object> {
  const found = await watch(page);
  await page.goto(`${platform.url}/console${views[0]?.path ?? ''}`);
  await page.locator('main').first().waitFor();
  const faults: Record<string, readonly string[]> = {};
  for (const view of views) {
    const here = [...(await look(page, view)), ...found.splice(0)];
    if (here.length > 0) faults[view.path] = here;
  }
  return faults;
}

/** Views that show no text of a tenant's; applications ask for themselves, below. */
const WITHOUT_TEXTS = [
  '/settings',
  '/settings/applications',
  '/settings/people',
  '/settings/retention',
  '/settings/workspace',
];

test('when a view can show what a tenant stores, then it is among those that are attacked', () => {
  const views = [...things().views, ...things().shared];
  expect(consolePaths.filter((route) => !views.some(isOf(route))).toSorted()).toEqual(WITHOUT_TEXTS);
});

test('when every text is an attack, then no view runs, loads or links to any of it', async () => {
  expect(new Set(payloads).size).toBe(40);
  expect(await lookAtAll(await signedIn(), things().views)).toEqual({});
});

test('when what is shared is an attack, then it stays text for whoever has the link', async () => {
  expect(await lookAtAll(await blankPage(), things().shared)).toEqual({});
});

/** What an attack would have left on a page of ours. */
const TRACES_OF_ATTACK = `[self.ran ?? [], self.violations ?? []].flat()`;

test('when an application names itself by an attack, then whoever is asked sees a name', async () => {
  const name = hostileName(90).replaceAll(/\s+/g, ' ').trim();
  const callback = 'http://127.0.0.1:49999/callback';
  const client = { client_name: name, redirect_uris: [callback], client_uri: 'javascript:self.ran=1' };
  const { client_id } = await api<{ client_id: string }>('/oauth/register', { method: 'POST', body: client });
  const page = await signedIn();
  const found = await watch(page);
  const asked = {
    client_id,
    response_type: 'code',
    redirect_uri: callback,
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  };
  await page.goto(`${platform.url}/oauth/authorize?${new URLSearchParams(asked).toString()}`);
  await page.getByText(WORD).first().waitFor();
  expect([...found, ...(await page.evaluate<string[]>(TRACES_OF_ATTACK))]).toEqual([]);
  // Nobody listens there: that the browser was sent is enough.
  const sent = page.waitForRequest((request) => request.url().startsWith(callback));
  await page.getByRole('button', { name: 'Authorize' }).click();
  await sent;
  found.length = 0;
  expect(await lookAtAll(page, [{ path: '/settings/applications', shows: WORD }])).toEqual({});
  const { items } = await api<{ items: { id: string; client_name: string }[] }>('/v2/grants?page_size=100');
  for (const grant of items.filter(({ client_name }) => client_name.startsWith(WORD)))
    await api(`/v2/grants/${grant.id}`, { method: 'DELETE' });
});

test('when files are pages or drawings, then they are saved, and never open at our origin', async () => {
  const { s3_urls } = await api<{ s3_urls: Record<string, { presigned_url: string }> }>(
    `/runs/${things().run}`,
  );
  const addresses = files.map(([name]) => s3_urls[`attachment.${name}`]?.presigned_url ?? '');
  const answers = await Promise.all(addresses.map((address) => fetch(address)));
  expect(answers.map(({ status, headers }) => [status, ...safety.map((name) => headers.get(name))])).toEqual(
    files.map(([name]) => [200, 'sandbox', 'nosniff', `attachment; filename*=UTF-8''${name}`]),
  );
});

test('when somebody opens such a file in the browser, then it is saved, and nothing of it runs', async () => {
  const { s3_urls } = await api<{ s3_urls: Record<string, { presigned_url: string }> }>(
    `/runs/${things().run}`,
  );
  const page = await signedIn(`/console/runs/${things().run}`);
  const found = await watch(page);
  for (const [name] of files) await page.getByRole('button', { name: `Save ${name}` }).waitFor();
  const attached = page.getByRole('region', { name: 'Attachments' });
  expect(await attached.locator('img, audio, video, iframe, object, embed, svg, a').count()).toBe(0);
  for (const [name] of files) {
    const saved = page.waitForEvent('download');
    await page.evaluate(`location.assign(${JSON.stringify(s3_urls[`attachment.${name}`]?.presigned_url)})`);
    expect((await saved).suggestedFilename()).toBe(name);
  }
  expect([...found, ...(await page.evaluate<string[]>(TRACES_OF_ATTACK))]).toEqual([]);
  expect(new URL(page.url()).pathname).toMatch(/^\/console\/projects\//);
});
const safety = ['content-security-policy', 'x-content-type-options', 'content-disposition'];

test('when somebody is signed in, then no script can read what signs them in', async () => {
  const page = await signedIn();
  const { session, ...kept } = await page.evaluate<{ session: Record<string, string> }>(
    `({ local: { ...localStorage }, session: { ...sessionStorage }, cookie: document.cookie })`,
  );
  expect(kept).toEqual({ local: {}, cookie: '' });
  // Where lists were scrolled to is all that may be kept.
  const scrolled = 'tsr-scroll-restoration-v1_3';
  expect({ [scrolled]: '', ...session }).toEqual({ [scrolled]: expect.stringMatching(/^.{0,200}$/) });
  const cookies = await page.context().cookies();
  expect(cookies.length).toBeGreaterThan(0);
  expect(cookies.filter(({ httpOnly, sameSite }) => !httpOnly || sameSite === 'None')).toEqual([]);
});

test('when anything of the console is asked for, then its answer says what it may do', async () => {
  const page = await (await fetch(`${platform.url}/console`)).text();
  const assets = [...page.matchAll(/\/console\/assets\/[\w.-]+/g)].map(([path]) => path);
  expect(assets.length).toBeGreaterThan(1);
  const paths = [
    '/console',
    '/console/callback',
    '/console/no/such',
    '/console/icon.svg',
    '/console/none.js',
  ];
  for (const path of [...paths, ...assets]) {
    const { headers } = await fetch(platform.url + path);
    expect([path, headers.get('content-security-policy')]).toEqual([
      path,
      expect.stringMatching(
        /default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'/,
      ),
    ]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
    });
  }
});

test('when a page elsewhere frames the console, then the frame stays empty', async () => {
  const page = await blankPage();
  const body = `<iframe src="${platform.url}/console"></iframe>`;
  await page.route('http://elsewhere.invalid/', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto('http://elsewhere.invalid/');
  await expect
    .poll(() => page.frames().map((frame) => frame.url()))
    .toContain('chrome-error://chromewebdata/');
});

const foreign = [
  'https://evil.invalid/',
  '//evil.invalid/',
  '/\\evil.invalid/',
  '\\\\evil.invalid',
  '/console/../..//evil.invalid',
  '/%2F%2Fevil.invalid',
  '/console@evil.invalid',
  'javascript:self.ran=1',
  'https:evil.invalid',
  '/\t/evil.invalid',
];

/** Where an answer leads, from our origin; our own page where it leads nowhere. */
async function leadsTo(path: string, headers: Record<string, string> = {}): Promise<string> {
  const init = { redirect: 'manual', headers: { accept: 'text/html', ...headers } } as const;
  const answer = await fetch(platform.url + path, init);
  return new URL(answer.headers.get('location') ?? '/', platform.url).origin;
}

const makeLink = async () =>
  (await api<{ url: string }>('/v2/sign-in-links', { method: 'POST', body: {} })).url.slice(origin.length);

test('when an address asks to be led elsewhere, then it leads to this origin', async () => {
  for (const to of foreign) {
    const query = new URLSearchParams({ to, redirect_uri: to, peek: to, selectedSessions: to }).toString();
    const asked = [
      `/?${query}`,
      `/console/callback?${query}`,
      `/o/x/projects/p/y?${query}`,
      `/o/x/datasets/${encodeURIComponent(to)}/compare?${query}`,
      `/public/${encodeURIComponent(to)}/r?${query}`,
      `/prompts/${encodeURIComponent(to)}`,
      `/oauth/authorize?client_id=console&response_type=code&${query}`,
    ];
    for (const path of asked) expect([path, await leadsTo(path)]).toEqual([path, origin]);
    const link = `${await makeLink()}?${query}`;
    expect([to, await leadsTo(link, { 'sec-fetch-site': 'none' })]).toEqual([to, origin]);
  }
});

test('when the router is asked to go elsewhere, then the page stays at this origin', async () => {
  const page = await signedIn();
  const found = await watch(page);
  for (const to of [
    '//evil.invalid/',
    '/%2F%2Fevil.invalid/',
    '/%5C%5Cevil',
    '/callback?to=//evil.invalid',
  ]) {
    await page.goto(`${platform.url}/console${to}`);
    await page.getByRole('navigation', { name: 'Menu' }).waitFor({ state: 'attached' });
    expect(new URL(page.url()).origin).toBe(origin);
  }
  expect(found).toEqual([]);
});

test('when a page elsewhere posts our forms, then nobody is signed out or in', async () => {
  const link = await makeLink();
  const elsewhere = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.invalid' },
    { origin: 'null' },
  ];
  const refusals = [
    ['/oauth/sign-out', 403],
    [link, 400],
  ] as const;
  for (const headers of elsewhere)
    for (const [path, status] of refusals) {
      const body = new URLSearchParams({ everywhere: 'true', do: 'sign-in' });
      const answer = await fetch(platform.url + path, { method: 'POST', headers, body, redirect: 'manual' });
      expect([headers, path, answer.status, answer.headers.getSetCookie()]).toEqual([
        headers,
        path,
        status,
        [],
      ]);
    }
  // It is good still.
  const { status } = await fetch(platform.url + link);
  expect(status).toBe(200);
});
