import { ApiError } from '@roadstead/contracts/client';

/** Which field of a form a refusal is about. Pure. */

export interface Faults {
  /** Sentences by the path of the field in the request: `source_config.repo_url`. */
  readonly fields: Readonly<Record<string, string>>;
  /** What is about no field. */
  readonly rest?: string | undefined;
}

export const NO_FAULTS: Faults = { fields: {} };

const NAMED = /\b((?:source_config|source_revision_config)\.[a-z_]+|secrets|display_name|name)\b/;

/** The sentences of an error, by the fields of a form; those that the form doesn't have are told together. */
export function faultsOf(error: unknown, known: readonly string[]): Faults {
  const issues = issuesOf(error);
  const placed = issues.filter(({ field }) => known.includes(field));
  const others = issues.filter(({ field }) => !known.includes(field));
  return {
    fields: Object.fromEntries(placed.toReversed().map(({ field, text }) => [field, text])),
    ...(others.length > 0 && { rest: others.map(({ field, text }) => told(field, text)).join(' ') }),
  };
}

interface Issue {
  readonly field: string;
  readonly text: string;
}

const told = (field: string, text: string) =>
  field === '' || text.includes(field) ? text : `${field}: ${text}`;

function issuesOf(error: unknown): Issue[] {
  const message = error instanceof Error ? error.message : String(error);
  const body = error instanceof ApiError ? (error.body as { readonly detail?: unknown } | null) : null;
  if (!Array.isArray(body?.detail))
    return [{ field: NAMED.exec(message)?.[1] ?? fieldOf(error), text: message }];
  return body.detail.map((issue: { readonly loc?: readonly unknown[]; readonly msg?: string }) => {
    const path = (issue.loc ?? []).filter((part) => part !== 'body').map(String);
    // Items of a list are told at the list.
    const end = path.findIndex((part) => /^\d+$/.test(part));
    return { field: (end === -1 ? path : path.slice(0, end)).join('.'), text: issue.msg ?? message };
  });
}

/** A conflict is about the name. */
const fieldOf = (error: unknown) => (error instanceof ApiError && error.status === 409 ? 'name' : '');
