import { statusOf } from '@roadstead/http';
import { type Problem, problemOf } from '@roadstead/kit';
import { errorPage } from '../pages/error-page.ts';
import { pageHeaders } from '@roadstead/pages';

export interface PageAnswer {
  readonly status?: number;
  readonly cookies?: readonly string[];
  /** The address at which a form of the page ends up. */
  readonly leads_to?: string | undefined;
  readonly retry_after_s?: number | undefined;
}

export function pageAnswer(document: string, answer: PageAnswer = {}): Response {
  const headers = new Headers(pageHeaders(answer.leads_to));
  for (const cookie of answer.cookies ?? []) headers.append('set-cookie', cookie);
  if (answer.retry_after_s !== undefined) headers.set('retry-after', String(answer.retry_after_s));
  return new Response(document, { status: answer.status ?? 200, headers });
}

/** Redirects to another page, by a request that repeats nothing. */
export function goTo(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}

/** A refusal as a page. */
export async function orErrorPage(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    return pageAnswer(errorPage({ what: problem.message, advice: problem.hint }), statusAnd(problem));
  }
}

export const statusAnd = (problem: Problem) => ({
  status: statusOf(problem),
  retry_after_s:
    problem.kind === 'limit' || problem.kind === 'unavailable' ? (problem.retry_after_s ?? 2) : undefined,
});

/** The fault of a sign-in, and how long to wait. */
export function signInFault({ message, kind, retry_after_s = 0 }: Problem): string {
  if (kind !== 'limit') return message;
  const minutes = Math.ceil(retry_after_s / 60);
  return `${message} Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again.`;
}
