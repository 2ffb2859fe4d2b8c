import { expect, test } from 'vitest';
import { RemoteError } from '@roadstead/contracts/host-peer';
import { Problem } from '@roadstead/kit';
import { startProblem } from './start-problem.ts';

const mask = (text: string) => text.replaceAll('secret', '****');

test('when a host says what can be done, then it is told, without secrets', () => {
  const error = new RemoteError({ name: 'Error', message: 'no secret', hint: 'Build secret first.' });
  expect(startProblem(error, mask)).toMatchObject({ message: 'no ****', hint: 'Build **** first.' });
});

test('when any other error occurs, then it is told in its own words; a problem stays what it is', () => {
  expect(startProblem(new Error('secret lost'), mask)).toMatchObject({
    kind: 'invalid',
    message: '**** lost',
    hint: undefined,
  });
  const problem = new Problem('unavailable', 'The start was given up.');
  expect(startProblem(problem, mask)).toBe(problem);
});
