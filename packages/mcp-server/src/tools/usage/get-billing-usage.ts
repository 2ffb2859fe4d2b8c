import { z } from 'zod';
import { ApiError } from '@roadstead/contracts';
import { isUuid, Problem } from '@roadstead/kit';
import { flagOr, requiredDay, text, whole } from '../input-rules.ts';
import { listAnswer, listOutput } from '../list-answers.ts';
import { unexpectedAnswer } from '../tool-error.ts';
import { tool, type ToolContext } from '../tool.ts';
import { findWorkspace, type NamedWorkspace, ofWorkspace, withNames } from './usage-record-rules.ts';

export const getBillingUsage = tool({
  name: 'get_billing_usage',
  title: 'Read usage',
  access: 'usage:read',
  description:
    'Reads how much was used in a range of time, such as how many traces came, by metric and workspace: counts, not money.',
  input: z.strictObject({
    starting_on: requiredDay('Day or ISO 8601 time.'),
    ending_before: requiredDay('The same; itself not included.'),
    workspace: text('Only this one: its id or name.'),
    on_current_plan: flagOr(true, 'Only what the current plan counts.'),
    offset: whole({ min: 0, fallback: 0, doc: 'Skip so many records.' }),
  }),
  output: {
    usage: z.array(
      z.looseObject({ billable_metric_name: z.string(), start_timestamp: z.string(), value: z.unknown() }),
    ),
    ...listOutput,
  },
  run: async ({ starting_on, ending_before, workspace, on_current_plan, offset }, context) => {
    if (Date.parse(zoned(ending_before)) <= Date.parse(zoned(starting_on)))
      throw new Problem('invalid', 'ending_before is not later than starting_on.');
    const workspaces = await namedWorkspaces(context);
    const only = workspace === undefined ? undefined : requireWorkspace(workspaces, workspace);
    const query = {
      starting_on,
      ending_before,
      on_current_plan: on_current_plan ? 'true' : 'false',
    } as const;
    const usage: unknown = await context.api.readUsage({ query, signal: context.signal });
    if (!Array.isArray(usage)) throw unexpectedAnswer();
    const read = usage as Awaited<ReturnType<typeof context.api.readUsage>>;
    const asked = only === undefined ? read : ofWorkspace(read, only.id);
    return listAnswer({
      key: 'usage',
      items: withNames(asked, workspaces ?? []).slice(offset),
      has_more: false,
      offset,
    });
  },
});

/** A time without an offset is in UTC, like in the API. */
const zoned = (time: string) => (/(?:z|[+-]\d\d:?\d\d)$/i.test(time) ? time : `${time}Z`);

/** Undefined where the caller may not list them: usage is shown by ids then. */
async function namedWorkspaces({ api, signal }: ToolContext): Promise<readonly NamedWorkspace[] | undefined> {
  const answer: unknown = await api.listWorkspaces({ query: {}, signal }).catch((error: unknown) => {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  });
  return Array.isArray(answer) ? (answer as NamedWorkspace[]) : undefined;
}

/** A workspace that doesn't exist must not show the usage of the others. */
function requireWorkspace(workspaces: readonly NamedWorkspace[] | undefined, given: string): NamedWorkspace {
  const found = findWorkspace(workspaces ?? [], given);
  if (found !== undefined) return found;
  if (workspaces !== undefined)
    throw new Problem('not_found', 'No workspace that this key reaches has the id or name in workspace.', {
      hint: 'Leave workspace out to see which there are.',
    });
  if (isUuid(given)) return { id: given };
  throw new Problem('forbidden', 'This key may not list workspaces, so none can be found by its name.', {
    hint: 'Give the workspace’s id, or use a key with workspaces:read.',
  });
}
