/** The Python that `python-setup.ts` made for tests of the Python graph host; undefined where none can be had. */
export const testPython = process.env['ROADSTEAD_TEST_PYTHON'];
