interface TracingTarget {
  /** The origin of the platform. */
  readonly origin: string;
  readonly key?: string;
  /** The name of a project; without it the SDK's own default. */
  readonly project?: string;
}

/** The lines by which a LangSmith SDK sends its traces here. */
export const tracingLines = ({ origin, key = 'YOUR_KEY', project }: TracingTarget): string =>
  [
    'export LANGSMITH_TRACING=true',
    `export LANGSMITH_ENDPOINT=${origin}/api`,
    `export LANGSMITH_API_KEY=${key}`,
    ...(project === undefined ? [] : [`export LANGSMITH_PROJECT=${JSON.stringify(project)}`]),
  ].join('\n');
