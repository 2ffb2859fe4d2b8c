import { readByName } from '../client/deploy-source.ts';
import { patiently } from '../client/patience.ts';
import { findTarget } from '../client/target.ts';
import { type Command, targetOptions, textOf } from './command.ts';

export const logs: Command = {
  name: 'logs',
  operands: 'NAME',
  summary: 'Show what a deployment printed, or its build log.',
  options: {
    build: { type: 'boolean', doc: 'the build log of the latest revision' },
    revision: { type: 'string', value: 'ID', doc: 'of this revision only' },
    follow: { type: 'boolean', doc: 'go on as lines come' },
    ...targetOptions,
  },
  run: async ({ operands, values, terminal }) => {
    const [name = ''] = operands;
    const target = await findTarget(values);
    const deployment = await readByName(target, name);
    const build = values['build'] === true;
    const revision_id =
      textOf(values['revision']) ?? (build ? (deployment.latest_revision_id ?? undefined) : undefined);
    let offset: string | undefined;
    for (;;) {
      const query = {
        type: build ? ('build' as const) : ('deploy' as const),
        limit: 1000,
        ...(offset === undefined ? {} : { offset }),
      };
      const params = { deployment_id: deployment.id };
      const page = await patiently(() =>
        revision_id === undefined
          ? target.control.readDeploymentLogs({ params, query })
          : target.control.readRevisionLogs({ params: { ...params, revision_id }, query }),
      );
      for (const line of page.logs)
        terminal.out(
          values['json'] === true ? JSON.stringify(line) : `${terminal.dim(line.timestamp)} ${line.message}`,
        );
      offset = page.next_offset ?? offset;
      if (page.logs.length > 0) continue;
      if (values['follow'] !== true) return 0;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  },
};
