import { expect, test } from 'vitest';
import { failureCause, mayTellCause } from './failure-cause-rules.ts';

const error = (...lines: string[]) => lines.map((line) => `npm error ${line}`);

test.each([
  [
    'a lock file that is not in sync',
    error(
      'code EUSAGE',
      '',
      '`npm ci` can only install packages when your package.json and package-lock.json are in sync.',
      '',
      'Invalid: lock file’s a@1.0.0 does not satisfy a@2.0.0',
      'Clean install a project',
    ),
    /in sync\. Invalid: lock file’s a@1\.0\.0 does not satisfy a@2\.0\.0$/,
  ],
  [
    'versions that exclude each other',
    error(
      'code ERESOLVE',
      'ERESOLVE unable to resolve dependency tree',
      '',
      'Found: a@1',
      'Could not resolve dependency:',
    ),
    /^ERESOLVE unable to resolve dependency tree Could not resolve dependency:$/,
  ],
  [
    'a package that is not there',
    error(
      'code E404',
      '404 Not Found - GET https://registry.test/nope - Not found',
      "404  'nope@*' is not in this registry.",
    ),
    /^404 Not Found .* 404 {2}'nope@\*' is not in this registry$/,
  ],
  [
    'words of an older npm',
    ['npm ERR! code ENOTFOUND', 'npm ERR! network request failed'],
    /^network request failed$/,
  ],
])('when npm’s output shows %s, then the cause is named', (_what, lines, cause) => {
  expect(failureCause(lines)).toMatch(cause);
});

test('when npm printed no cause, then there is none', () => {
  expect(failureCause([])).toBeUndefined();
  expect(failureCause(error('code 1', 'path /x'))).toBeUndefined();
});

test.each([
  ['classic yarn', ['error Your lockfile needs to be updated.'], 'Your lockfile needs to be updated'],
  [
    'a later yarn',
    [
      '➤ YN0000: ┌ Resolution step',
      '➤ YN0028: │ +  version: 1.3.0',
      '➤ YN0028: │ The lockfile would have been modified by this install, which is explicitly forbidden.',
      '➤ YN0000: · Failed with errors in 1s 180ms',
    ],
    'The lockfile would have been modified by this install, which is explicitly forbidden',
  ],
  [
    'pnpm',
    [' ERR_PNPM_NO_MATCHING_VERSION  No matching version found for a@9'],
    'ERR_PNPM_NO_MATCHING_VERSION  No matching version found for a@9',
  ],
  [
    'bun',
    ['error: lockfile had changes, but lockfile is frozen'],
    'lockfile had changes, but lockfile is frozen',
  ],
])('when %s says why it failed, then that is the cause', (_manager, lines, cause) => {
  expect(failureCause(lines.filter(mayTellCause))).toBe(cause);
});
