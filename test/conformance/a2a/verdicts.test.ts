import { expect, test } from 'vitest';
import { pageOf, scoreOf } from './page.ts';
import type { TestResult } from './kits.ts';

const result = (test: string, more: Partial<TestResult> = {}): TestResult => ({
  version: '0.3',
  test,
  outcome: 'failed',
  message: '',
  ...more,
});
const https = 'tests/optional/capabilities/test_transport_security.py::test_https_url_in_agent_card';

test('when a test does not pass, then it has a verdict, or says that it has none', () => {
  const unknown = result('tests/mandatory/x.py::test_x', { message: 'assert 1 == 2' });
  const { passed, ran, missed } = scoreOf([
    result('tests/mandatory/x.py::test_y', { outcome: 'passed' }),
    result('tests/mandatory/x.py::test_z', { outcome: 'skipped' }),
    result(https),
    unknown,
  ]);
  expect([passed, ran]).toEqual([1, 3]);
  expect(missed.map(({ verdict }) => verdict?.whose)).toEqual(['kit', undefined]);
});

test('when a verdict is given, then it is of one version, and of what it explains', () => {
  expect(scoreOf([result(https, { version: '1.0' })]).missed[0]?.verdict).toBeUndefined();
  const state = 'tests/optional/quality/test_task_state_quality.py::test_task_state_transitions';
  const other = scoreOf([result(state, { message: 'Unexpected initial state: failed' })]);
  expect(other.missed[0]?.verdict).toBeUndefined();
});

test('when the page is written, then it counts by suite and names what does not pass', () => {
  const page = pageOf([
    result('tests/optional/quality/x.py::test_y', { outcome: 'passed' }),
    result(https),
    result('tests/mandatory/x.py::test_z', { outcome: 'skipped', message: 'Skipped: no gRPC' }),
  ]);
  expect(page).toContain('| 0.3.x at `eb1f804c27ea` | quality | 1 | 0 | 0 |');
  expect(page).toContain('| 0.3.x at `eb1f804c27ea` | capabilities | 0 | 1 | 0 |');
  expect(page).toMatch(/test_https_url_in_agent_card` \| kit \| It wants HTTPS/);
  expect(page).toContain('| no gRPC | `mandatory/x.py::test_z` |');
});
