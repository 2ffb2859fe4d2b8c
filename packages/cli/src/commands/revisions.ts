import type { Deployment, Revision } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { readByName } from '../deployments/deploy-source.ts';
import { safeJson } from '../terminal/safe-text.ts';
import { table } from '../terminal/table.ts';
import { findTarget, type Target } from '../target/target.ts';
import { ageOf } from '../terminal/time-rules.ts';
import { type Command, targetOptions, textOf } from '../command-line/command.ts';

export const revisions: Command = {
  name: 'revisions',
  operands: 'NAME',
  summary: 'List the revisions of a deployment, newest first; `*` marks the one that serves.',
  options: {
    limit: { type: 'string', value: 'N', doc: 'at most N (20)' },
    ...targetOptions,
  },
  examples: [{ call: 'revisions support-agent --limit 5', does: 'the newest five' }],
  completes: { NAME: 'deployments' },
  fields: { 'query.limit': '--limit' },
  run: async ({ operands: [name = ''], values, terminal }) => {
    const limit = limitOf(textOf(values['limit']));
    const target = await findTarget(values);
    const deployment = await readByName(target, name);
    const found = await newestRevisions(target, { deployment, limit });
    if (values['json'] === true) terminal.out(safeJson(found));
    else
      for (const line of table(found.map((one) => rowOf(one, { deployment, now: Date.now() }))))
        terminal.out(line);
    return 0;
  },
};

const PAGE = 100;
const LIMIT = 20;

export async function newestRevisions(
  { control }: Target,
  { deployment, limit }: { readonly deployment: Deployment; readonly limit: number },
): Promise<Revision[]> {
  const found: Revision[] = [];
  while (found.length < limit) {
    const size = Math.min(PAGE, limit - found.length);
    const page = await control.listRevisions({
      params: { deployment_id: deployment.id },
      query: { limit: size, offset: found.length },
    });
    found.push(...page.resources);
    if (page.resources.length < size) break;
  }
  return found;
}

function limitOf(text: string | undefined): number {
  const limit = Number(text ?? LIMIT);
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new Problem('invalid', '--limit must be a whole number, 1 or more.');
  return limit;
}

function rowOf(
  revision: Revision,
  { deployment, now }: { readonly deployment: Deployment; readonly now: number },
): string[] {
  const { id, number, status, status_reason, created_at, trigger, repo_commit_sha } = revision;
  const why = status.endsWith('FAILED') ? (status_reason?.message.split('\n')[0] ?? '') : '';
  return [
    id === deployment.active_revision_id ? '*' : ' ',
    String(number),
    status,
    ageOf(created_at, now),
    trigger.kind,
    repo_commit_sha?.slice(0, 10) ?? '',
    id,
    why,
  ];
}
