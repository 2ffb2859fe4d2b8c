import { expect, test } from 'vitest';
import { at, type Target } from '../../packages/console/src/router/addresses.ts';
import { consolePaths } from './support/console-routes.ts';

const each = <const Part extends string>(parts: readonly Part[], address: (part: Part) => Target): Target[] =>
  parts.map(address);

const targets: Readonly<Record<keyof typeof at, readonly Target[]>> = {
  home: [at.home()],
  deployments: [at.deployments()],
  newDeployment: [at.newDeployment()],
  deployment: [at.deployment('d')],
  deploymentPart: each(['logs', 'environment', 'resources', 'settings'], (part) =>
    at.deploymentPart('d', part),
  ),
  revision: [at.revision('d', 'r')],
  talkAgents: [at.talkAgents()],
  talk: [at.talk('s')],
  talkPart: each(['threads', 'assistants', 'store', 'crons', 'graph'], (part) => at.talkPart('s', part)),
  inbox: [at.inbox()],
  projects: [at.projects()],
  project: [at.project('p')],
  run: [at.run('r')],
  trace: [at.trace('p', 't')],
  conversations: [at.conversations('p')],
  conversation: [at.conversation('p', 't')],
  monitoring: [at.monitoring()],
  alerts: [at.alerts()],
  alert: [at.alert('a')],
  datasets: [at.datasets()],
  dataset: [at.dataset('d')],
  experiments: [at.experiments('d')],
  queues: [at.queues()],
  queue: [at.queue('q')],
  prompts: [at.prompts()],
  prompt: [at.prompt('p')],
  playground: [at.playground()],
  settings: each(
    [
      'keys',
      'people',
      'applications',
      'listeners',
      'integrations',
      'webhooks',
      'events',
      'rules',
      'usage',
      'providers',
      'retention',
      'prices',
      'shared',
      'workspace',
    ],
    (part) => at.settings(part),
  ),
  anySettings: [at.anySettings()],
  webhook: [at.webhook('w')],
  rule: [at.rule('r')],
};

test.each(Object.entries(targets))(
  'when a view is addressed by %s, then the path is one of the routes',
  (_name, all) => {
    expect(consolePaths).toEqual(expect.arrayContaining(all.map(({ to }) => to)));
  },
);

test.each(Object.entries(targets))(
  'when a view is addressed by %s, then the parameters of its path are named',
  (_name, all) => {
    for (const { to, params = {} } of all)
      expect(Object.keys(params)).toEqual([...to.matchAll(/\$(\w+)/g)].map(([, name]) => name));
  },
);
