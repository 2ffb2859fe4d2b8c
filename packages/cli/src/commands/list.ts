import { findTarget } from '../client/target.ts';
import type { Deployment } from '@roadstead/contracts/control-plane';
import { type Command, targetOptions } from './command.ts';

export const list: Command = {
  name: 'list',
  operands: '',
  summary: 'List the deployments of the workspace.',
  options: targetOptions,
  run: async ({ values, terminal }) => {
    const target = await findTarget(values);
    const all: Deployment[] = [];
    for (;;) {
      const page = await target.control.listDeployments({ query: { limit: 100, offset: all.length } });
      all.push(...page.resources);
      if (page.resources.length < 100) break;
    }
    if (values['json'] === true) terminal.out(JSON.stringify(all));
    else if (all.length === 0) terminal.out('There are no deployments; `roadstead deploy DIR` makes one.');
    else
      for (const line of table(all.map((one) => [one.name, one.status, one.url ?? '']))) terminal.out(line);
    return 0;
  },
};

export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
