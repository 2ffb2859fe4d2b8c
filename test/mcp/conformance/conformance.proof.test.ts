import { expect, test } from 'vitest';
import { runConformance } from './conformance-kit.ts';
import { startOpenServer } from './conformance-server.ts';
import { fixtureServer } from './fixture-server.ts';
import { sessionHandler } from './fixture-sessions.ts';

/** The protocol’s conformance kit, in both eras. */

const revisions = [
  {
    revision: '2026-07-28',
    required: 37,
    beyond: ['json-schema-2020-12', 'http-header-validation', 'http-custom-header-server-validation'],
  },
  { revision: '2025-11-25', required: 30, beyond: ['server-session-lifecycle', 'json-schema-2020-12'] },
] as const;

test.each(revisions)(
  'when the kit’s fixtures are served as our tools are, then all $required of $revision pass',
  async ({ revision, required, beyond }) => {
    await using server = await startOpenServer({ handler: sessionHandler(fixtureServer) });
    const outcome = await runConformance(server.url, revision);
    expect(outcome.failed).toEqual([]);
    expect(outcome.passed).toHaveLength(required);
    expect(outcome.beyond).toEqual(expect.arrayContaining([...beyond]));
  },
);

/**
 * The others call tools, prompts and resources that only the fixtures have; of the last four those, too, but that a
 * tool is unknown is among the answers that they take.
 */
const ours = {
  '2026-07-28': [
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'sep-2164-resource-not-found',
    'prompts-list',
    'dns-rebinding-protection',
    'caching',
    'input-required-result-missing-input-response',
    'input-required-result-unsupported-methods',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
  ],
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ],
};

test.each(revisions)(
  'when our own server is asked, then it passes what of $revision needs no fixtures',
  async ({ revision, required }) => {
    await using server = await startOpenServer({});
    const { passed, failed } = await runConformance(server.url, revision);
    expect(passed).toEqual(ours[revision]);
    expect(passed.length + failed.length).toBe(required);
  },
);
