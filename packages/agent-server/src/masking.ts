/** Tracing settings that are no secrets: names and addresses that every trace shows anyway. */
const PLAIN = new Set([
  'LANGSMITH_PROJECT',
  'LANGSMITH_ENDPOINT',
  'LANGSMITH_TRACING',
  'LANGSMITH_DISABLE_RUN_COMPRESSION',
  'LANGSMITH_WORKSPACE_ID',
]);
const SHORTEST = 6;

/**
 * The values of an environment that no log and no error may hold: whole, as JSON writes them, and line by line, as logs
 * do. Short values are excluded: they would mask ordinary words.
 */
function secretValues(environment: Readonly<Record<string, string>>): string[] {
  const values = Object.entries(environment).flatMap(([name, value]) => (PLAIN.has(name) ? [] : [value]));
  const forms = values.flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    ...value.split(/\r?\n|\\n/).map((line) => line.trim()),
  ]);
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST);
}

/** Hides the secrets of all environments that exist at the time of the call. */
export function createMask(
  environments: () => readonly Readonly<Record<string, string>>[],
): (text: string) => string {
  const known = new WeakMap<object, readonly string[]>();
  const valuesOf = (environment: Readonly<Record<string, string>>) => {
    const values = known.get(environment) ?? secretValues(environment);
    known.set(environment, values);
    return values;
  };
  return (text) =>
    environments()
      .flatMap(valuesOf)
      // The longest first, so that no part of one remains.
      .toSorted((one, other) => other.length - one.length)
      .reduce((masked, value) => masked.replaceAll(value, '********'), text);
}
