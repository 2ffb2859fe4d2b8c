import { expect, test } from 'vitest';
import { renamed, withApp } from './app-document.ts';

const ours = {
  openapi: '3.1.0',
  paths: { '/ok': { get: {} }, '/info': { get: {} } },
  components: { schemas: { Error: { type: 'string' } }, securitySchemes: { api_key: { type: 'apiKey' } } },
};

test('when an app has schemas named like ours, then both are there, each meant where it was', () => {
  const app = renamed({
    info: { title: 'the app' },
    paths: { '/ok': { post: { $ref: '#/components/schemas/Error' } } },
    components: {
      schemas: { Error: { items: { $ref: '#/components/schemas/Error' } } },
      securitySchemes: { api_key: { type: 'http' }, own: { type: 'http' } },
    },
  });
  expect(withApp(ours, app)).toEqual({
    openapi: '3.1.0',
    paths: { '/ok': { post: { $ref: '#/components/schemas/App_Error' } }, '/info': { get: {} } },
    components: {
      schemas: {
        Error: { type: 'string' },
        App_Error: { items: { $ref: '#/components/schemas/App_Error' } },
      },
      securitySchemes: { api_key: { type: 'apiKey' }, own: { type: 'http' } },
    },
  });
});

test.each([[{}], [{ paths: [], components: null }], [{ components: { schemas: 'none' } }]])(
  'when an app describes itself by %j, then the document of the deployment is as before',
  (document) => expect(withApp(ours, renamed(document))).toEqual(ours),
);
