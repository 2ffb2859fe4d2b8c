/** The Python that tests of the Python graph host run with: it has the packages of its `requirements-dev.txt`. */
export const testPython = process.env['ROADSTEAD_TEST_PYTHON'];

/** Says that tests of Python are left out. */
export function warnWithoutPython(): void {
  if (testPython === undefined)
    process.stderr.write(
      'Python graph hosts are NOT TESTED: ROADSTEAD_TEST_PYTHON names no Python that has the packages of packages/graph-host-python/requirements-dev.txt.\n',
    );
}
