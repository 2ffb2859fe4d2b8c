import { ApiError } from '@roadstead/contracts';
import { Problem, type ProblemKind } from '@roadstead/kit';

/** The failure that a model reads: what, why, and what to do next. Never holds a key or an input's value. */
export interface ToolError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const RETRY = 'Wait a few seconds and call again.';
const CORRECT = 'Correct what is named and call again.';
const MAX_MESSAGE = 500;

const ofProblems: Readonly<Partial<Record<ProblemKind, readonly [code: string, hint: string]>>> = {
  invalid: ['invalid_input', CORRECT],
  malformed: ['invalid_input', CORRECT],
  unauthenticated: ['unauthorized', 'Check the API key that the MCP client is configured with.'],
  forbidden: ['forbidden', 'Use a key that may read this workspace.'],
  not_found: ['not_found', 'Call list_projects to see what there is.'],
  conflict: ['conflict', 'Something is there already, or changed meanwhile: read it and call again.'],
  too_large: ['too_large', 'Ask for less: narrow by time, run type or trace, or take a smaller limit.'],
  limit: ['rate_limited', RETRY],
  not_implemented: ['not_implemented', 'Leave that input out.'],
  unavailable: ['unavailable', RETRY],
};

const ofStatuses: Readonly<Record<number, ProblemKind>> = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  // An address or its headers: an input is too long for this endpoint.
  414: 'malformed',
  422: 'malformed',
  431: 'malformed',
  429: 'limit',
  501: 'not_implemented',
  503: 'unavailable',
};

/** The error to answer, or undefined for a bug of ours. */
export function toolErrorOf(error: unknown): ToolError | undefined {
  if (error instanceof ApiError) return ofApi(error);
  if (!(error instanceof Problem)) return undefined;
  const known = ofProblems[error.kind];
  if (known === undefined) return undefined;
  const faults = error.issues.map((issue) => `${issue.loc.join('.')} ${issue.msg}`).join('; ');
  return {
    code: error.code ?? known[0],
    message: faults === '' ? error.message : `${faults}.`,
    hint: error.hint ?? known[1],
  };
}

function ofApi(error: ApiError): ToolError {
  const kind = ofStatuses[error.status];
  const known = kind === undefined ? undefined : ofProblems[kind];
  const message = sentence(error.message.slice(0, MAX_MESSAGE));
  if (known !== undefined) return { code: known[0], message, hint: known[1] };
  if (error.status === 0)
    return {
      code: 'unreachable',
      message,
      hint: 'Check that the service runs and that the endpoint is right.',
    };
  if (error.status === 408 || error.status === 504)
    return {
      code: 'upstream_timeout',
      message,
      hint: 'Ask for less, such as a smaller limit, and call again.',
    };
  return { code: 'upstream_error', message, hint: RETRY };
}

/** Ends with a full stop, since the hint follows it. */
const sentence = (said: string) => (/[.!?…]$/.test(said) ? said : `${said}.`);

/** The requested thing; where the API answers 404, a problem with advice on what to do. */
export async function found<T>(asked: Promise<T>, missing: () => Problem): Promise<T> {
  return asked.catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 404 ? missing() : error;
  });
}

/** An answer of the API that doesn't match its contract, as another server at the endpoint may give. */
export function unexpectedAnswer(): Problem {
  return new Problem('unavailable', 'The endpoint answered something else than the observability API does.', {
    code: 'upstream_error',
    hint: 'Check that the endpoint is the address of a LangSmith-compatible API.',
  });
}
