import { expect, test, vi } from 'vitest';
import { isNamed } from './is-named.ts';

function told(variables: Readonly<Record<string, string | undefined>>) {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    return [isNamed('Boats are', variables), ...write.mock.calls.map(([line]) => line)];
  } finally {
    write.mockRestore();
  }
}

test.each([
  ['all are set', { A: 'a', B: 'b' }, [true]],
  ['one is not set', { A: 'a', B: undefined }, [false, 'Boats are NOT TESTED: B names none.\n']],
  ['two are empty', { A: '', B: '', C: 'c' }, [false, 'Boats are NOT TESTED: A and B name none.\n']],
  ['three are missing', { A: '', B: '', C: '' }, [false, 'Boats are NOT TESTED: A, B and C name none.\n']],
])('when %s, then what is left out is said', (_case, variables, expected) => {
  expect(told(variables)).toEqual(expected);
});
