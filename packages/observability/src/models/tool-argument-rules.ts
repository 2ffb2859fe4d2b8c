/** The arguments as a value; text that is no JSON object stands under a name of its own. */
export function argumentsOf(json: string): Readonly<Record<string, unknown>> {
  if (json.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : { value };
  } catch {
    return { text: json };
  }
}
