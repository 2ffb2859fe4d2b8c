/** Tracing settings that are no secrets: names and addresses that stand in every trace anyway. */
const PLAIN = new Set([
  'LANGSMITH_PROJECT',
  'LANGSMITH_ENDPOINT',
  'LANGSMITH_TRACING',
  'LANGSMITH_WORKSPACE_ID',
]);
const SHORTEST = 6;

/** The values of an environment that must stand in no log and no error. Short ones would mask ordinary words. */
function secretValues(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    PLAIN.has(name) || value.length < SHORTEST ? [] : [value],
  );
}

/** Hides the secrets of the environments that there are when it is called. */
export function createMask(
  environments: () => readonly Readonly<Record<string, string>>[],
): (text: string) => string {
  return (text) =>
    environments()
      .flatMap(secretValues)
      .reduce((masked, value) => masked.replaceAll(value, '********'), text);
}
