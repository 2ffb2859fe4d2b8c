import type { RunQuery } from '@roadstead/contracts/observability';
import { runTypes } from '@roadstead/contracts/run-types';
import { flag, instant, names, text, word } from '../input-rules.ts';

/** Builds the query for runs from the inputs of tools. */

/** The API's limit; it reports longer filters itself. */
export const MAX_FILTER = 20_000;

export const queryInputs = {
  project_name: names('Name or id of a project, or a JSON array of several.'),
  filter: text('Filter language: and(eq(name, "x"), has(tags, "y"), gt(latency, "3s")).', MAX_FILTER),
  run_type: word(runTypes, 'Only this type.'),
  error: flag('With, or without, an error.'),
  is_root: flag('Only roots, one a trace; or only runs below them.'),
  min_start_time: instant('ISO 8601.'),
  max_start_time: instant('ISO 8601.'),
};

interface RunConditions {
  readonly filter?: string | undefined;
  readonly run_type?: (typeof runTypes)[number] | undefined;
  readonly error?: boolean | undefined;
  readonly is_root?: boolean | undefined;
  readonly min_start_time?: string | undefined;
  readonly max_start_time?: string | undefined;
}

export function queryOf({
  filter,
  run_type,
  error,
  is_root,
  min_start_time,
  max_start_time,
}: RunConditions): RunQuery {
  return {
    ...(filter === undefined ? {} : { filter }),
    ...(run_type === undefined ? {} : { run_type }),
    ...(error === undefined ? {} : { error }),
    ...(is_root === undefined ? {} : { is_root }),
    ...(min_start_time === undefined ? {} : { start_time: min_start_time }),
    ...(max_start_time === undefined ? {} : { end_time: max_start_time }),
  };
}

/** The same conditions as the arguments of another tool. */
export function askedAs(project_name: readonly string[], given: RunConditions) {
  const { filter, run_type, error, is_root, min_start_time, max_start_time } = given;
  const one_or_several = project_name.length === 1 ? project_name[0] : project_name;
  return { project_name: one_or_several, filter, run_type, error, is_root, min_start_time, max_start_time };
}

/** Combines filters that all have to match. Each is on a line of its own, since it may end with a comment. */
export function allOf(filters: readonly (string | undefined)[]): string | undefined {
  const given = filters.filter((filter) => filter !== undefined && filter.trim() !== '');
  return given.length > 1 ? `and(${given.join('\n, ')}\n)` : given[0];
}

/** A text as a literal of the filter language, which is JSON's. */
export const literal = (text: string) => JSON.stringify(text);
