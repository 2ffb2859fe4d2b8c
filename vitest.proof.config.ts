import { defineConfig } from 'vitest/config';
import { REPLICATED_STORIES } from './test/replicas/stories.ts';
import { DurationReporter } from './test/support/durations.ts';
import { PlainLine } from './test/support/plain-line.ts';

const exclude = ['**/node_modules/**', 'test/agents/**'];
/** Long stories of the web console, which share one platform. */
const ofConsole = ['test/console/*.proof.test.ts'];
/** Releases of the chart, for one of which at a time the node of a cluster has room. */
const ofCluster = ['test/cluster/*.proof.test.ts'];
/** Two processes of each service, and stories that are told against them. */
const ofReplicas = ['test/replicas/*.proof.test.ts'];
const replicated = REPLICATED_STORIES.map((name) => `test/stories/${name}`);

/** `npm run proof`: what repeats, or brings other people's programs, languages and suites: too long for `npm test`. */
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'proof',
          include: [
            'packages/*/src/**/*.proof.test.ts',
            'test/**/*.proof.test.ts',
            // `npm test` tells these with agents in JavaScript alone.
            'test/chaos/kill-anything.test.ts',
            'test/stories/{assistant,command-line,hostile-agent,own-auth,services-apart}.test.ts',
          ],
          exclude: [...exclude, ...ofConsole, ...ofCluster, ...ofReplicas],
          globalSetup: ['packages/testing/src/postgres/global-postgres.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: ofCluster,
          exclude,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'replicas',
          include: [...ofReplicas, ...replicated],
          exclude,
          env: { ROADSTEAD_TEST_REPLICAS: '1' },
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          globalSetup: ['packages/testing/src/postgres/global-postgres.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'console',
          include: ofConsole,
          exclude,
          isolate: false,
          globalSetup: ['test/console/support/console-setup.ts'],
        },
      },
    ],
    reporters: ['default', new DurationReporter(), new PlainLine()],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 1_800_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    passWithNoTests: false,
  },
});
