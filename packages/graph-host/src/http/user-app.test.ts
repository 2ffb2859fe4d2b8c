import { Hono, type MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import { appendTrailingSlash, trimTrailingSlash } from 'hono/trailing-slash';
import { expect, test } from 'vitest';
import { NOT_SERVED_HEADER } from '@roadstead/contracts/host-peer';
import { createUserApp } from './user-app.ts';

const at = (path: string) => new Request(`http://agent.example${path}`);

test('when an app is an object with fetch or a function, then it doesn’t tell its addresses', async () => {
  const object = {
    text: 'of the object',
    fetch() {
      return new Response(this.text);
    },
  };
  const one = createUserApp(object, 'http.app');
  const other = createUserApp(
    async (request: Request) => new Response(new URL(request.url).pathname),
    'http.app',
  );
  expect([one.description, other.description]).toEqual([{ routes: null }, { routes: null }]);
  expect(await (await one.fetch(at('/'))).text()).toBe('of the object');
  expect(await (await other.fetch(at('/x'))).text()).toBe('/x');
});

test.each([[{}], [null], ['app'], [undefined]])('when an export is %j, then it is no app', (exported) => {
  expect(() => createUserApp(exported, 'http.app')).toThrow(/^http\.app is no app/);
});

test('when an app of Hono answers 404, then that is told apart from what it does not have', async () => {
  const app = new Hono()
    .use('*', async (_c, next) => next())
    .get('/gone', (c) => c.text('gone', 404))
    .notFound((c) => c.text('nothing here', 404));
  const { description, fetch } = createUserApp(app, 'http.app');
  expect(description.routes).toEqual([{ method: 'GET', path: '/gone' }]);
  const gone = await fetch(at('/gone'));
  expect([gone.status, gone.headers.get(NOT_SERVED_HEADER)]).toEqual([404, null]);
  expect((await fetch(at('/other'))).headers.get(NOT_SERVED_HEADER)).toBe('1');
});

test('when an app has too many addresses, then it is asked for what nobody else answers', () => {
  const app = new Hono();
  for (let at = 0; at <= 2000; at += 1) app.get(`/${at}`, (c) => c.text('x'));
  expect(createUserApp(app, 'http.app').description.routes).toBeNull();
});

const after404 =
  (answer: (c: Parameters<MiddlewareHandler>[0]) => Response): MiddlewareHandler =>
  async (c, next) => {
    await next();
    if (c.res.status === 404) c.res = answer(c);
  };

test.each<[string, MiddlewareHandler, string, number, string | null]>([
  ['trims slashes', trimTrailingSlash(), '/one/', 301, '/one'],
  ['appends slashes', appendTrailingSlash(), '/two', 301, '/two/'],
  [
    'shows a page of its own',
    after404((c) => c.html('<p>Not here.</p>', 404)),
    '/x',
    404,
    '<p>Not here.</p>',
  ],
  ['answers without a type', after404((c) => c.body('Not here.', 404)), '/x', 404, 'Not here.'],
  [
    'answers by a response',
    after404(() => new Response('Not here.', { status: 404 })),
    '/x',
    404,
    'Not here.',
  ],
  ['shows its front page', after404((c) => c.text('front')), '/x', 200, 'front'],
  ['says that it is gone', after404((c) => c.body(null, 410)), '/x', 410, ''],
])(
  'when middleware %s after a 404, then that is the app’s answer',
  async (_, middleware, path, status, told) => {
    const { fetch } = createUserApp(
      new Hono().use(middleware).get('/one', (c) => c.text('one')),
      'http.app',
    );
    const answered = await fetch(at(path));
    expect(answered.status).toBe(status);
    expect(answered.headers.has(NOT_SERVED_HEADER)).toBe(false);
    expect(answered.headers.get('content-type') ?? '').not.toContain('roadstead');
    const said = answered.headers.get('location') ?? (await answered.text());
    expect(said.replace('http://agent.example', '')).toBe(told);
  },
);

test.each<[string, MiddlewareHandler]>([
  ['tags answers', etag()],
  ['compresses answers', compress()],
  ['adds a header', async (c, next) => next().then(() => c.header('x-from-middleware', 'yes'))],
  ['looks at answers', async (c, next) => next().then(async () => void (await c.res.clone().text()))],
])('when middleware %s, then what the app does not have is still told apart', async (_, middleware) => {
  const { fetch } = createUserApp(
    new Hono().use(middleware).get('/one', (c) => c.text('one')),
    'http.app',
  );
  const answered = await fetch(at('/x'));
  expect([answered.status, answered.headers.get(NOT_SERVED_HEADER)]).toEqual([404, '1']);
  expect(await (await fetch(at('/one'))).text()).toBe('one');
});

const passing: MiddlewareHandler = async (_c, next) => next();

test.each<[string, Hono, true | undefined]>([
  ['none', new Hono().get('/one', (c) => c.text('one')), undefined],
  ['one for all addresses', new Hono().use(passing), true],
  ['one for all paths', new Hono().use('*', passing), true],
  [
    'one of an inner app with errors of its own',
    new Hono().route('/', new Hono().onError((_, c) => c.text('')).use(passing)),
    true,
  ],
  ['one for some addresses', new Hono().use('/admin/*', passing), undefined],
  ['one of an inner app below a path', new Hono().route('/inner', new Hono().use(passing)), undefined],
  ['one of an address', new Hono().get('/one', passing, (c) => c.text('one')), undefined],
  ['a handler of all addresses', new Hono().all('*', (c) => c.text('any')), undefined],
  ['another app below a path', new Hono().mount('/other', () => new Response('other')), undefined],
])('when an app has middleware: %s, then it tells that of the whole app', (_, app, told) => {
  expect(createUserApp(app, 'http.app').description.has_middleware).toBe(told);
});

test('when an app is of Express, then it is refused in words', () => {
  const express = Object.assign(() => undefined, { handle: () => undefined, listen: () => undefined });
  expect(() => createUserApp(express, 'http.app')).toThrow(/^http\.app is an app of Express/);
});
