import { ApiError } from '@roadstead/contracts/client';
import { expect, test } from 'vitest';
import { faultsOf } from './fault-rules.ts';

const known = ['name', 'source_config.repo_url', 'secrets'];

test('when the shape is wrong, then fields have sentences, and unknown ones are together', () => {
  const detail = [
    { loc: ['body', 'name'], msg: 'must be short' },
    { loc: ['body', 'secrets', 2, 'name'], msg: 'must be a name' },
    { loc: ['body', 'source_config', 'listener_id'], msg: 'Invalid UUID' },
  ];
  expect(faultsOf(new ApiError('no', { status: 422, body: { detail } }), known)).toEqual({
    fields: { name: 'must be short', secrets: 'must be a name' },
    rest: 'source_config.listener_id: Invalid UUID',
  });
});

test.each([
  [400, 'source_config.repo_url is required for source git.', 'source_config.repo_url'],
  [400, 'These names in secrets are set by Roadstead only: A.', 'secrets'],
  [409, 'There is one already.', 'name'],
])('when the answer is %i: %s, then it stands at %s', (status, message, field) => {
  expect(faultsOf(new ApiError(message, { status }), known)).toEqual({ fields: { [field]: message } });
});

test('when an error names no field, then it is told for the whole form', () => {
  expect(faultsOf(new Error('away'), known)).toEqual({ fields: {}, rest: 'away' });
});
