import { Problem } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { RunAdmission } from './run-admission.ts';

test('when a room is full, then it refuses with a time to try again, until something leaves', () => {
  const admission = new RunAdmission({ limits: { messages: 2, bytes: 100 } });
  using _one = admission.admit(10, 'a');
  const two = admission.admit(10, 'b');
  expect(() => admission.admit(10, 'c')).toThrow(
    expect.objectContaining({ kind: 'unavailable', retry_after_s: 5 }) as Problem,
  );
  two.dispose();
  expect(() => admission.admit(91, 'b')).toThrow(Problem);
  using _three = admission.admit(90, 'b');
});

test('when a message is above the limit, then it is admitted alone; what was promised always is', () => {
  const admission = new RunAdmission({ limits: { messages: 1, bytes: 100 } });
  using _heavy = admission.admit(1000, 'a');
  using _promised = admission.reserve(1000, 'a');
  expect(() => admission.admit(1, 'a')).toThrow(Problem);
});

test('when one principal fills its part of a room, then others still have theirs', () => {
  const admission = new RunAdmission({ limits: { messages: 4, bytes: 100 } });
  using _one = admission.admit(1, 'a');
  const two = admission.admit(1, 'a');
  expect(() => admission.admit(1, 'a')).toThrow(Problem);
  admission.admit(1, 'b').dispose();
  using _heavy = admission.admit(40, 'b');
  expect(() => admission.admit(20, 'b')).toThrow(Problem);
  two.dispose();
  using _again = admission.admit(1, 'a');
});
