/** The project that a revision traces to by its environment; null where it doesn't trace. Pure. */
export function tracingProject({
  LANGSMITH_TRACING: traces,
  LANGSMITH_PROJECT: project,
}: Readonly<Record<string, string>>): string | null {
  return traces === 'true' && project !== undefined && project !== '' ? project : null;
}
