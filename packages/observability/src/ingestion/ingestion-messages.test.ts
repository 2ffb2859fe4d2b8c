import { createLog, describeError, Problem } from '@roadstead/kit';
import { describe, expect, it } from 'vitest';
import { errorOf, failureOf, sendingLog } from './ingestion-messages.ts';

/** The error as it arrives on another thread. */
const across = (error: unknown) => errorOf(structuredClone(failureOf(error)));

describe('what one thread throws and another answers', () => {
  it.each<[string, Problem]>([
    ['a bare one', new Problem('invalid', 'It is not valid.')],
    [
      'one with all that it can have',
      new Problem('malformed', 'It is malformed.', {
        hint: 'Send something else.',
        issues: [{ loc: ['body', 3], msg: 'is bad', type: 'value_error' }],
        retry_after_s: 7,
        code: 'some_code',
        headers: { allow: 'GET' },
      }),
    ],
  ])('when a Problem is %s, then it arrives as the same Problem', (_name, problem) => {
    const { kind, message, hint, issues, retry_after_s, code, headers } = problem;
    const found = across(problem);
    expect(found).toBeInstanceOf(Problem);
    expect(found).toMatchObject({ kind, message, hint, issues, retry_after_s, code, headers });
  });

  it('when a Problem has a private cause, then the cause stays where it is', () => {
    expect(
      JSON.stringify(failureOf(new Problem('invalid', 'No.', { cause: new Error('private') }))),
    ).not.toContain('private');
  });

  it('when a database is away, then that is judged where it was thrown, and is no accident', () => {
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect(across(away)).toMatchObject({ kind: 'unavailable' });
  });

  it('when an error crosses threads, then the log can say where it is from, and why', () => {
    const error = new Error('a bug', { cause: new Error('deeper') });
    const found = across(error);
    expect(found).not.toBeInstanceOf(Problem);
    expect([found.message, found.stack]).toEqual(['a bug', describeError(error)]);
    expect(across('a text').message).toBe('a text');
  });
});

it('when a line of a log is sent elsewhere, then it is written as it would be here', () => {
  const error = new Error('it broke');
  const lines = (makeLog: (write: (line: string) => void) => ReturnType<typeof createLog>) => {
    const written: object[] = [];
    const log = makeLog((line) => {
      const { time: _time, ...rest } = JSON.parse(line) as Record<string, unknown>;
      written.push(rest);
    });
    log.with({ loop: 'a' }).warn('it failed', { error, key: 'k', absent: undefined });
    log.debug('not at this level');
    log.error('without fields');
    return written;
  };
  const here = lines((write) => createLog({ level: 'info', write }));
  const elsewhere = lines((write) => {
    const log = createLog({ level: 'info', write });
    return sendingLog((line) => {
      const { level, message, fields } = structuredClone(line);
      log[level](message, fields);
    });
  });
  expect(here).toHaveLength(2);
  expect(elsewhere).toEqual(here);
});
