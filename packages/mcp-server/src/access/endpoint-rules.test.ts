import { expect, test } from 'vitest';
import { chooseEndpoint, isAllowedOrigin } from './endpoint-rules.ts';

const policy = {
  api_url: 'http://127.0.0.1:4100/api',
  allowed_endpoints: ['https://traces.example.com/api'],
};
const own = { kind: 'own', base_url: 'http://127.0.0.1:4100/api' };
const allowed = { kind: 'allowed', base_url: 'https://traces.example.com/api' };
const refused = { kind: 'refused' };

test.each([
  [undefined, own],
  ['', own],
  ['http://127.0.0.1:4100', own],
  ['http://127.0.0.1:4100/api/', own],
  ['http://localhost:4100/api/v1', own],
  ['http://127.0.0.1:4100/mcp', refused],
  ['http://127.0.0.1:4101/api', refused],
  ['https://127.0.0.1:4100/api', refused],
  ['https://traces.example.com/api/', allowed],
  ['https://traces.example.com/other', refused],
  ['https://traces.example.com.evil.example/api', refused],
  ['https://user@traces.example.com/api', refused],
  ['https://traces.example.com/api?x=1', refused],
  ['http://169.254.169.254/latest', refused],
  ['file:///etc/passwd', refused],
  ['nonsense', refused],
])('when an endpoint of %j is named, then only an allowed one is chosen', (named, choice) => {
  expect(chooseEndpoint(named, policy)).toEqual(choice);
});

test.each([
  [null, true],
  ['http://localhost:3000', true],
  ['http://127.0.0.1:4100', true],
  ['https://evil.example', false],
  ['http://127.0.0.1.evil.example', false],
  ['null', false],
])('when a page of %j calls, then only an allowed one may', (origin, may) => {
  expect(isAllowedOrigin(origin, policy.api_url)).toBe(may);
});
