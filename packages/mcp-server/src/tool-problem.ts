import { ApiError } from '@roadstead/contracts';

/** What went wrong, for the model that called: what, and what to do next. */
export class ToolProblem extends Error {
  override readonly name = 'ToolProblem';
  readonly code: string;
  readonly hint: string;
  constructor(code: string, message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

const codes: Readonly<Record<number, readonly [string, string]>> = {
  0: ['upstream_unreachable', 'Check that the observability service runs, then try again.'],
  401: ['unauthorized', 'Check the API key that the MCP client sends.'],
  403: ['forbidden', 'Use a key whose scopes allow reading, in its own workspace.'],
  404: ['not_found', 'Check the id or name; list_projects shows what there is.'],
  422: ['invalid_input', 'Correct the named field and call again.'],
  429: ['rate_limited', 'Wait a few seconds and call again.'],
  501: ['not_implemented', 'Leave that input out.'],
  503: ['unavailable', 'Wait a few seconds and call again.'],
};

export function toToolProblem(error: unknown): ToolProblem {
  if (error instanceof ToolProblem) return error;
  if (!(error instanceof ApiError))
    return new ToolProblem('internal', 'The tool failed.', 'Try again; the server’s log has the cause.');
  const [code, hint] = codes[error.status] ?? ['upstream_error', 'Try again later.'];
  return new ToolProblem(code, error.message, hint);
}
