import { expect, test } from 'vitest';
import { beginsTrace } from './placement-rules.ts';

test('when a root is posted, then that begins a trace, and nothing else does', () => {
  const operation = { verb: 'post', has_main: true, run_id: 'a', fields: {}, payloads: {} } as const;
  expect(beginsTrace([operation])).toBe(true);
  expect(beginsTrace([{ ...operation, fields: { trace_id: 'a', dotted_order: 'Za' } }])).toBe(true);
  expect(beginsTrace([{ ...operation, verb: 'patch' }])).toBe(false);
  expect(beginsTrace([{ ...operation, has_main: false }])).toBe(false);
  expect(beginsTrace([{ ...operation, fields: { trace_id: 'b' } }])).toBe(false);
  expect(beginsTrace([{ ...operation, fields: { parent_run_id: 'b' } }])).toBe(false);
  expect(beginsTrace([{ ...operation, fields: { dotted_order: 'Zb.Za' } }])).toBe(false);
});
