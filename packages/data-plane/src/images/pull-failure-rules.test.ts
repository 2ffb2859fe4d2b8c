import { expect, test } from 'vitest';
import { pullProblem } from './pull-failure-rules.ts';

/** Words of Docker 20.10 and Podman 4.3, and of registries behind them. */
test.each([
  [
    'manifest for registry.test/agent:2 not found: manifest unknown: manifest unknown',
    'image_not_found',
    false,
  ],
  [
    'pull access denied for agent, repository does not exist or may require ‘docker login’',
    'image_denied',
    false,
  ],
  ['unauthorized: authentication required', 'image_denied', false],
  ['no matching manifest for linux/arm64/v8 in the manifest list entries', 'image_platform', false],
  ['toomanyrequests: You have reached your pull rate limit', 'registry_busy', true],
  ['Get "https://registry.test/v2/": dial tcp: lookup registry.test: no such host', 'registry_away', true],
  [
    'Get "https://10.0.0.1:5000/v2/": dial tcp 10.0.0.1:5000: connect: connection refused',
    'registry_away',
    true,
  ],
  [
    'Get "https://registry.test:5000/v2/": http: server gave HTTP response to HTTPS client',
    'registry_away',
    true,
  ],
  ['x509: certificate signed by unknown authority', 'registry_away', true],
  ['failed to register layer: write /x: no space left on device', 'disk_full', false],
  ['something new', 'image_not_fetched', false],
])('when an engine says “%s”, then the reason is %s', (said, code, passes) => {
  const found = pullProblem('registry.test/agent:2', said);
  expect(found.problem).toMatchObject({ kind: 'invalid', code });
  expect(found.passes).toBe(passes);
  // Its own words may name addresses of the machine.
  expect(found.problem.sentence).not.toContain('10.0.0.1');
});
