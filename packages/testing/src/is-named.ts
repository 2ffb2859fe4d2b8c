const list = new Intl.ListFormat('en-GB');

/**
 * Whether each of these variables of the environment names something. Where one does not, a line on standard error says what is left out,
 * since skipped tests are easily overlooked.
 * @param what is not tested then, with its verb: `The chart is`
 */
export function isNamed(what: string, variables: Readonly<Record<string, string | undefined>>): boolean {
  const missing = Object.entries(variables).flatMap(([name, value = '']) => (value === '' ? [name] : []));
  if (missing.length === 0) return true;
  const verb = missing.length === 1 ? 'names' : 'name';
  process.stderr.write(`${what} NOT TESTED: ${list.format(missing)} ${verb} none.\n`);
  return false;
}
