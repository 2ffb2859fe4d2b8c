// `npm test` and `npm run check`: format, lint with types and boundaries, generated files, then (for test) every test.
// `npm run proof`: what repeats, or brings other people’s programs and suites.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join(root, 'node_modules', '.bin', name);

/** Each step: what is told, and the command. The first that fails ends the run. */
const checks = [
  ['format', bin('oxfmt'), ['--check', '.']],
  ['lint, types, boundaries', bin('oxlint'), []],
  ['documents and their links', 'node', ['bin/docs.ts', '--check']],
  ['unused code', bin('knip'), ['--no-config-hints']],
];
const [, , name = 'check', ...args_of_tests] = process.argv;
const tests = [['tests', bin('vitest'), ['run', ...args_of_tests]]];
const proof = [['proof', bin('vitest'), ['run', '--config', 'vitest.proof.config.ts', ...args_of_tests]]];
const steps = { check: checks, test: [...checks, ...tests], proof };

for (const [title, command, args] of steps[name]) {
  process.stdout.write(`· ${title}\n`);
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) {
    process.stderr.write(`roadstead: ${title} failed\n`);
    process.exitCode = result.status ?? 1;
    break;
  }
}
