import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { enterScript, packVariables } from './fence-script.ts';

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/);
const value = fc
  .string({ unit: 'binary', maxLength: 60 })
  .map((text) => text.replaceAll('\0', '').toWellFormed());
/** Variables that shells keep for themselves. */
const OWN = /^(_|PWD|OLDPWD|SHLVL|UID|EUID|PPID|SHELLOPTS|BASHOPTS|BASH_VERSINFO)$/;

test('when variables hold anything, then each arrives as it is', () => {
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 20 }), (variables) => {
      const packed = packVariables(variables);
      const script = enterScript(Object.keys(packed).length);
      const output = execFileSync('/bin/sh', ['-c', script, 'sh', '/', '/usr/bin/env', '-0'], {
        env: packed,
        encoding: 'utf8',
      });
      const pairs = output.split('\0').flatMap((pair): [string, string][] => {
        const at = pair.indexOf('=');
        return at < 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)]];
      });
      const found = Object.fromEntries(pairs.filter(([key]) => !OWN.test(key)));
      expect(found).toEqual(Object.fromEntries(Object.entries(variables).filter(([key]) => !OWN.test(key))));
    }),
    { numRuns: 60 },
  );
});

test.each(['a.b', 'a-b', '1a', 'a b', ''])(
  'when a name like %j is one that no shell exports, then it is left out',
  (odd) => {
    expect(packVariables({ [odd]: 'x', A: 'y' })).toEqual({ ROADSTEAD_ENV_0: 'A=y' });
  },
);
