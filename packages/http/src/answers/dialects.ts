import type { Dialect } from '@roadstead/contracts';
import { lineSafe, type Problem, type ProblemKind } from '@roadstead/kit';

/** Writes a `Problem` in each dialect: the only place where problems meet HTTP. */

const statuses: Readonly<Record<ProblemKind, number>> = {
  invalid: 400,
  malformed: 422,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  out_of_range: 416,
  upgrade_required: 426,
  limit: 429,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
};

const titles: Readonly<Record<ProblemKind, string>> = {
  invalid: 'Bad request',
  malformed: 'Unprocessable content',
  unauthenticated: 'Unauthorized',
  forbidden: 'Forbidden',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  conflict: 'Conflict',
  precondition_failed: 'Precondition failed',
  too_large: 'Content too large',
  out_of_range: 'Range not satisfiable',
  upgrade_required: 'Upgrade required',
  limit: 'Too many requests',
  internal: 'Internal server error',
  not_implemented: 'Not implemented',
  unavailable: 'Service unavailable',
};

/** JSON-RPC codes for errors before a method runs; methods answer their own errors. */
const rpcCodes: Readonly<Partial<Record<ProblemKind, number>>> = {
  invalid: -32_600,
  malformed: -32_602,
  too_large: -32_600,
  method_not_allowed: -32_600,
  not_implemented: -32_601,
  internal: -32_603,
  unavailable: -32_603,
};

/** The codes of registries for what has none of its own (OCI distribution 1.1, "Error codes"). */
const registryCodes: Readonly<Partial<Record<ProblemKind, string>>> = {
  malformed: 'NAME_INVALID',
  unauthenticated: 'UNAUTHORIZED',
  forbidden: 'DENIED',
  not_found: 'NAME_UNKNOWN',
  conflict: 'DENIED',
  too_large: 'SIZE_INVALID',
  limit: 'TOOMANYREQUESTS',
  internal: 'UNKNOWN',
  unavailable: 'UNAVAILABLE',
};
/** Clients of registries read codes in this form only. */
const REGISTRY_CODE = /^[A-Z_]+$/;

const bodies: Readonly<Record<Dialect, (problem: Problem) => unknown>> = {
  detail: (problem) => ({
    detail: problem.issues.length > 0 ? problem.issues : sentenceOf(problem),
    ...(problem.code === undefined ? {} : { error: problem.code }),
  }),
  ingest: (problem) => ({ error: problem.code ?? titles[problem.kind], details: issueText(problem) }),
  problem: (problem) => ({
    type: 'about:blank',
    title: titles[problem.kind],
    status: statuses[problem.kind],
    detail: issueText(problem),
    ...(problem.hint === undefined ? {} : { remedy: problem.hint }),
  }),
  jsonrpc: (problem) => ({
    jsonrpc: '2.0',
    id: null,
    error: { code: rpcCodes[problem.kind] ?? -32_000, message: issueText(problem) },
  }),
  oauth: (problem) => ({
    error: problem.code ?? (statuses[problem.kind] < 500 ? 'invalid_request' : 'temporarily_unavailable'),
    error_description: issueText(problem),
  }),
  oci: (problem) => {
    const own = problem.code !== undefined && REGISTRY_CODE.test(problem.code) ? problem.code : undefined;
    const code = own ?? registryCodes[problem.kind] ?? 'UNSUPPORTED';
    return { errors: [{ code, message: issueText(problem), detail: null }] };
  },
  text: (problem) => `${sentenceOf(problem)}\n`,
};

const contentTypes: Readonly<Record<Dialect, string>> = {
  detail: 'application/json',
  ingest: 'application/json',
  problem: 'application/problem+json',
  jsonrpc: 'application/json',
  oauth: 'application/json',
  oci: 'application/json',
  text: 'text/plain; charset=utf-8',
};

export function statusOf(problem: Problem): number {
  return statuses[problem.kind];
}

export function toResponse(problem: Problem, dialect: Dialect): Response {
  const body = bodies[dialect](problem);
  const headers = new Headers({ 'content-type': contentTypes[dialect], ...problem.headers });
  if (problem.kind === 'unauthenticated' && !headers.has('www-authenticate'))
    headers.set('www-authenticate', `${dialect === 'oci' ? 'Basic' : 'Bearer'} realm="roadstead"`);
  // Generated clients of LangSmith retry every 5xx, and this one never changes.
  if (problem.kind === 'not_implemented') headers.set('x-should-retry', 'false');
  if (problem.kind === 'limit' || problem.kind === 'unavailable')
    headers.set('retry-after', String(problem.retry_after_s ?? 2));
  return new Response(typeof body === 'string' ? body : lineSafe(JSON.stringify(body)), {
    status: statuses[problem.kind],
    headers,
  });
}

/** LangSmith's SDKs look for these words, in lower case, before they create what is missing. */
const NOT_FOUND = 'not found';

function sentenceOf({ kind, message, sentence }: Problem): string {
  if (kind !== 'not_found' || sentence.includes(NOT_FOUND)) return sentence;
  return message.replace(/\.?$/, ` (${NOT_FOUND}).`) + sentence.slice(message.length);
}

function issueText(problem: Problem): string {
  if (problem.issues.length === 0) return sentenceOf(problem);
  return problem.issues.map((issue) => `${issue.loc.join('.')}: ${issue.msg}`).join('; ');
}
