import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { NOT_SERVED_HEADER } from '@roadstead/contracts/host-peer';
import { createUserApp } from './user-app.ts';

const at = (path: string) => new Request(`http://agent.example${path}`);

test('an object with fetch and a function of a request are apps that don’t tell their addresses', async () => {
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

test.each([[{}], [null], ['app'], [undefined]])('%j is no app', (exported) => {
  expect(() => createUserApp(exported, 'http.app')).toThrow(/^http\.app is no app/);
});

test('of an app of Hono its own 404 is told apart from what it does not have', async () => {
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

test('an app with a table of addresses that is too long is asked for what nobody else answers', () => {
  const app = new Hono();
  for (let at = 0; at <= 2000; at += 1) app.get(`/${at}`, (c) => c.text('x'));
  expect(createUserApp(app, 'http.app').description.routes).toBeNull();
});
