import type { z } from 'zod';
import type { Issue } from './problem.ts';

/**
 * Writes in words what a validator found wrong: for a value that may be one of several kinds, it names these kinds.
 */

/** Limits the issues listed, for a value whose every member is of the wrong kind. */
const MAX_ISSUES = 100;

type ZodIssue = z.core.$ZodIssue;
type UnionIssue = Extract<ZodIssue, { readonly code: 'invalid_union' }>;
type FieldPath = readonly (string | number)[];

/** @param at where the value is in the request, such as `['body']`. */
export function issuesOf({ issues }: z.ZodError, at: FieldPath): Issue[] {
  return someIssues(issues, at);
}

const someIssues = (issues: readonly ZodIssue[], at: FieldPath): Issue[] =>
  fewOf(issues, (issue) => issuesAt(issue, at));

/** One issue may expand into many, and each of these again: only the first few are read, and the first few listed. */
export const fewOf = <T>(found: readonly T[], read: (one: T) => readonly Issue[]): Issue[] =>
  found.slice(0, MAX_ISSUES).flatMap(read).slice(0, MAX_ISSUES);

function issuesAt(issue: ZodIssue, at: FieldPath): Issue[] {
  const loc = [...at, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
  if (!isUnion(issue)) return [{ loc, msg: issue.message, type: issue.code }];
  // If the value is of one of the kinds, the issues inside it are more specific.
  const [inside, ...others] = issue.errors.filter(isInside);
  if (inside !== undefined && others.length === 0) return someIssues(inside, loc);
  const kinds = [...new Set(issue.errors.flatMap(kindsOf))];
  const msg = kinds.length === 0 ? issue.message : `must be ${listed(kinds)}`;
  return [{ loc, msg, type: issue.code }];
}

/** Whether it is a union without a message of its own. */
const isUnion = (issue: ZodIssue): issue is UnionIssue =>
  issue.code === 'invalid_union' && issue.message === 'Invalid input' && issue.errors.length > 0;

const isInside = (branch: readonly ZodIssue[]) =>
  branch.every((issue) => issue.path.length > 0 || !(issue.code in WRONG_KIND));
const WRONG_KIND = { invalid_type: true, invalid_value: true, invalid_union: true };

const words: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'a boolean',
  array: 'a list',
  record: 'an object',
  object: 'an object',
  null: 'null',
};

/** The kinds that one branch of a union accepts. */
function kindsOf([issue]: readonly ZodIssue[]): readonly string[] {
  if (issue?.code === 'invalid_type') return [words[issue.expected] ?? `a ${issue.expected}`];
  if (issue?.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value));
  return issue?.code === 'invalid_union' ? issue.errors.flatMap(kindsOf) : [];
}

const listed = (kinds: readonly string[]) =>
  [kinds.slice(0, -1).join(', '), ...kinds.slice(-1)].filter((part) => part !== '').join(' or ');
