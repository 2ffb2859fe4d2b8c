// `npm test` and `npm run check`: format, lint with types and boundaries, generated files, then (for test) every test.
// `npm run proof`: what repeats, or brings other people’s programs and suites.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join(root, 'node_modules', '.bin', name);

/** Each step: what is told, and the command. */
const checks = [
  ['lint, types, boundaries', bin('oxlint'), []],
  ['format', bin('oxfmt'), ['--check', '.']],
  ['documents and their links', 'node', ['bin/docs.ts', '--check']],
  ['unused code', bin('knip'), ['--no-config-hints']],
];
// It waits for an index of packages while the checks compute.
const python = ['the Python of tests', 'node', ['test/support/make-python.ts']];
const [, , name = 'check', ...args_of_tests] = process.argv;
const tests = ['tests', bin('vitest'), ['run', ...args_of_tests]];
const proof = ['proof', bin('vitest'), ['run', '--config', 'vitest.proof.config.ts', ...args_of_tests]];
/** The steps of a stage run beside each other, and all to their end; a stage that fails is the last. */
const stages = { check: [checks], test: [[...checks, python], [tests]], proof: [[proof]] };

for (const stage of stages[name]) {
  const running = stage.map((step) => run(step, { beside: stage.length > 1 }));
  for (const each of running) {
    const { title, code, output } = await each;
    process.stdout.write(output);
    if (code === 0) continue;
    process.stderr.write(`roadstead: ${title} failed\n`);
    process.exitCode ??= code;
  }
  if (process.exitCode !== undefined) break;
}

/** What runs beside others says at its end what it has to say, what runs alone at once. */
async function run([title, command, args], { beside }) {
  const heading = `· ${title}\n`;
  if (!beside) process.stdout.write(heading);
  const child = spawn(command, args, { cwd: root, stdio: beside ? ['ignore', 'pipe', 'pipe'] : 'inherit' });
  let output = beside ? heading : '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (output += bytes));
  const [code] = await once(child, 'close');
  return { title, code: code ?? 1, output };
}
