import { createInterface } from 'node:readline/promises';
import { ApiError } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { readByName } from '../deployments/deploy-source.ts';
import { patiently } from '../target/patience.ts';
import { safeJson } from '../terminal/safe-text.ts';
import { findTarget } from '../target/target.ts';
import { type Command, targetOptions } from '../command-line/command.ts';

export const remove: Command = {
  name: 'delete',
  operands: 'NAME',
  summary: 'Stop a deployment; its data rests in the bin for some days.',
  options: {
    force: { type: 'boolean', doc: 'drop its database too, at once' },
    'with-traces': { type: 'boolean', doc: 'delete its tracing project too' },
    yes: { type: 'boolean', doc: 'do not ask' },
    ...targetOptions,
  },
  examples: [
    { call: 'delete support-agent', does: 'asks, and puts it into the bin' },
    { call: 'delete support-agent --yes --force', does: 'asks nothing, and drops its database at once' },
  ],
  completes: { NAME: 'deployments' },
  run: async ({ operands, values, terminal }) => {
    const [name = ''] = operands;
    const target = await findTarget(values);
    const deployment = await readByName(target, name);
    if (values['yes'] !== true && terminal.isInteractive) {
      const prompt = createInterface({ input: process.stdin, output: process.stdout });
      const answer = await prompt.question(`Delete ${name}? [y/N] `);
      prompt.close();
      if (!/^y(es)?$/i.test(answer.trim())) return 1;
    }
    const params = { deployment_id: deployment.id };
    await target.control.deleteDeployment({
      params,
      query: {
        force: values['force'] === true ? 'true' : 'false',
        delete_tracing_project: values['with-traces'] === true ? 'true' : 'false',
      },
    });
    await gone(name, () => target.control.readDeployment({ params }));
    terminal.out(values['json'] === true ? safeJson({ deleted: deployment.id }) : `${name} is deleted`);
    return 0;
  },
};

/** Longer than running work has until its end. */
const GONE_MS = 300_000;

async function gone(name: string, read: () => Promise<unknown>): Promise<void> {
  const until = Date.now() + GONE_MS;
  for (;;) {
    try {
      await patiently(read);
      if (Date.now() > until)
        throw new Problem('unavailable', `${name} still runs; it goes when its data plane is back.`);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return;
      throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
