import { OWN_IMAGE } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { helmLines } from '../deployments/listener-rules.ts';
import { listListeners } from '../deployments/listeners.ts';
import { safeJson } from '../terminal/safe-text.ts';
import { table } from '../terminal/table.ts';
import { findTarget } from '../target/target.ts';
import { type Command, targetOptions, textOf } from '../command-line/command.ts';

export const listener: Command = {
  name: 'listener',
  operands: 'join NAME | list | delete ID',
  summary:
    'Run deployments elsewhere: `join` registers a cluster, and prints what installs a data plane there, with its key.',
  options: {
    namespace: {
      type: 'string',
      value: 'NAME',
      doc: 'join: namespace of the cluster to install in (roadstead)',
    },
    'agent-url': {
      type: 'string',
      value: 'URL',
      doc: 'join: address at which clients find its agents; {slug} stands for the name of one',
    },
    postgres: {
      type: 'string',
      value: 'SECRET',
      doc: 'join: Secret there that holds the address of its PostgreSQL, as agents-url (roadstead-postgres)',
    },
    image: {
      type: 'string',
      value: 'NAME:TAG',
      doc: `join: image of Roadstead, as that cluster fetches it (${OWN_IMAGE})`,
    },
    chart: {
      type: 'string',
      value: 'CHART',
      doc: 'join: where the chart is (deploy/chart)',
      completes: 'folders',
    },
    ...targetOptions,
  },
  examples: [
    {
      call: "listener join berlin --agent-url 'https://berlin.example.com/agents/{slug}'",
      does: 'prints the commands for whoever has that cluster',
    },
    { call: 'listener list', does: 'shows what listeners there are' },
  ],
  fields: {
    'body.compute_id': 'NAME',
    'body.compute_config.cluster_namespaces': '--namespace',
    'path.listener_id': 'ID',
  },
  run: async ({ operands: [action, operand = ''], values, terminal }) => {
    const target = await findTarget(values);
    const json = values['json'] === true;
    if (action === 'list') {
      const items = await listListeners(target);
      if (json) terminal.out(safeJson(items));
      else
        for (const line of table(
          items.map((one) => [one.id, one.compute_type, one.compute_id, one.last_seen_at ?? 'never seen']),
        ))
          terminal.out(line);
      return 0;
    }
    if (action === 'delete') {
      await target.control.deleteListener({ params: { listener_id: operand } });
      terminal.out(json ? safeJson({ deleted: operand }) : 'The listener is removed, and its key with it.');
      return 0;
    }
    const agent_url = textOf(values['agent-url']);
    if (agent_url?.includes('{slug}') !== true)
      throw new Problem(
        'invalid',
        '--agent-url must name an address with {slug}, at which agents are found.',
      );
    const [, repository = '', tag = ''] = /^(.+):([\w.-]+)$/.exec(textOf(values['image']) ?? OWN_IMAGE) ?? [];
    const image = { repository, tag };
    if (tag === '') throw new Problem('invalid', '--image must name an image with its tag.');
    if (LOOPBACK.test(new URL(target.url).hostname))
      throw new Problem('invalid', `The address ${target.url} leads a cluster to itself.`, {
        hint: 'Name the one at which the cluster finds this platform, by --url or ROADSTEAD_URL.',
      });
    const namespace = textOf(values['namespace']) ?? 'roadstead';
    const made = await target.control.createListener({
      body: {
        compute_type: 'cluster',
        compute_id: operand,
        // The chart makes it beside that of the release.
        compute_config: { cluster_namespaces: [`${namespace}-agents`] },
      },
    });
    terminal.progress('Keep the key: it is shown this once.');
    if (json) terminal.out(safeJson(made));
    else
      for (const line of helmLines({
        listener_id: made.id,
        key: made.key,
        url: target.url,
        namespace,
        agent_url,
        postgres_secret: textOf(values['postgres']) ?? 'roadstead-postgres',
        chart: textOf(values['chart']) ?? 'deploy/chart',
        image,
      }))
        terminal.out(line);
    return 0;
  },
};

const LOOPBACK = /^(?:127(?:\.\d+){3}|localhost|\[::1\])$/;
