import { expect, test } from 'vitest';
import { isBrowser, viewOf } from './link-rules.ts';

test.each([
  ['/', '/console'],
  ['/o/tenant/projects', '/console/projects'],
  ['/o/tenant/projects/p/project', '/console/projects/project'],
  ['/o/tenant/projects/p/project?peek=run', '/console/runs/run'],
  ['/o/tenant/projects/p/project/r/run?poll=true', '/console/runs/run'],
  ['/o/tenant/datasets', '/console/datasets'],
  ['/o/tenant/datasets/dataset', '/console/datasets/dataset'],
  [
    '/o/tenant/datasets/dataset/compare?selectedSessions=one,two',
    '/console/datasets/dataset/compare?experiments=%5B%22one%22%2C%22two%22%5D',
  ],
  [
    '/o/tenant/datasets/dataset/compare?selectedSessions=one%2Ctwo&comparativeExperiment=pair',
    '/console/datasets/dataset/compare?experiments=%5B%22one%22%2C%22two%22%5D&view=pairs&comparison=pair',
  ],
  ['/o/tenant/datasets/dataset/e/one', '/console/datasets/dataset?example=one'],
  ['/o/tenant/host/deployments/one', '/console/deployments/one'],
  ['/host/deployments', '/console/deployments'],
  ['/prompts/greeting', '/console/prompts/greeting'],
  ['/prompts/greeting/abc123', '/console/prompts/greeting?commit=abc123'],
  ['/hub/owner/greeting:abc123', '/console/prompts/greeting?commit=abc123'],
  ['/hub/owner/greeting/abc123', '/console/prompts/greeting?commit=abc123'],
  ['/public/token/r', '/console/public/token/r'],
  ['/public/token/d', '/console/public/token/d'],
  ['/o/tenant', '/console'],
  ['/api/v1/runs', undefined],
  ['/v2/deployments', undefined],
  ['/agents/one/threads', undefined],
  ['/oauth/authorize', undefined],
])('when a browser opens %s, then it is led to %s', (address, view) => {
  const { pathname, searchParams } = new URL(address, 'http://origin');
  expect(viewOf(pathname, searchParams)).toBe(view);
});

test.each([
  ['GET', 'text/html,application/xhtml+xml,*/*;q=0.8', true],
  ['HEAD', 'application/json, text/html', true],
  ['GET', 'application/json', false],
  ['GET', '*/*', false],
  ['GET', undefined, false],
  ['POST', 'text/html', false],
])('when %s accepts %s, then whether a page is opened is %s', (method, accept, opened) => {
  expect(isBrowser(method, accept)).toBe(opened);
});
