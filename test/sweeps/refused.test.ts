import { expect, test } from 'vitest';
import type { Endpoint } from '@roadstead/contracts';
import { observability } from '@roadstead/contracts/observability';

/** What the LangSmith API has and this service lacks is refused for a reason, never for want of time. */

const refused = Object.entries<Endpoint>(observability).filter(([, one]) => one.refused === true);

test('when something is not served, then it says why in a sentence', () => {
  const reasons = refused.flatMap(([, { because }]) => (because === undefined ? [] : [because]));
  for (const reason of new Set(reasons)) expect(reason).toMatch(/^[A-Z].+\.$/);
  expect(reasons.length).toBeGreaterThan(20);
});

test('when refused endpoints are named by their addresses, then no two share a name', () => {
  const names = refused.map(([name]) => name);
  expect(names).toContain('getBulkExportsByBulkExportIdRuns');
  expect(refused.length).toBe(104);
});

test('when refused endpoints are listed, then nothing is left over', () => {
  const left = refused.filter(([, { because }]) => because === undefined).map(([name]) => name);
  expect(left).toEqual([]);
});

test.each([
  'GET /bulk-exports',
  'POST /runs/rules/validate',
  'POST /runs/rules/trigger',
  'POST /runs/rules/{rule_id}/trigger',
  'GET /runs/rules/{rule_id}/logs/v2',
  'GET /runs/rules/{rule_id}/last_applied',
  'GET /v2/runs/rules',
  'POST /v2/sql/query',
  'POST /v2/ai-search/parse',
  'POST /sessions/{session_id}/dashboard',
  'GET /prompt-webhooks',
  'POST /platform/product-feedbacks',
])('when %s is refused, then it says why it is not served', (address) => {
  const found = refused.find(([, { method, path }]) => `${method} ${path}` === address);
  expect(found?.[1].because).toMatch(/\.$/);
});

test('when an address is refused, then no parameter takes its words for an id', () => {
  const all = Object.values<Endpoint>(observability);
  const takes = (one: Endpoint, other: Endpoint) => {
    const [segments, words] = [one.path.split('/'), other.path.split('/')];
    return (
      one.method === other.method &&
      segments.length === words.length &&
      segments.every((segment, index) => segment.startsWith('{') || segment === words[index])
    );
  };
  const hidden = refused.filter(([, one]) =>
    all.slice(0, all.indexOf(one)).some((before) => before.refused !== true && takes(before, one)),
  );
  expect(hidden.map(([name]) => name)).toEqual([]);
});
