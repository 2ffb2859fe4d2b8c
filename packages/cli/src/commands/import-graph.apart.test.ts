import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Runs a command line without a platform and reports which of our packages, and of others', it loaded. */
function loadedBy(args: readonly string[]): string[] {
  const main = new URL('../main.ts', import.meta.url).href;
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ load(url, context, next) { loaded.add(url); return next(url, context); } });
    process.argv.splice(1, 0, 'roadstead');
    process.on('exit', () => process.stdout.write('\\n' + JSON.stringify([...loaded])));
    await import(${JSON.stringify(main)});
    process.on('exit', () => (process.exitCode = 0));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', script, '--', ...args], {
    env: { ROADSTEAD_URL: 'http://127.0.0.1:1', ROADSTEAD_API_KEY: 'rs_nobody-has-this' },
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
  });
  const urls = JSON.parse(said.slice(said.lastIndexOf('\n'))) as string[];
  const names = urls.map((url) => /.*\/(?:packages|node_modules)\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].toSorted();
}

const example = fileURLToPath(new URL('../../../../examples/support-agent', import.meta.url));

test.each([
  [['--version']],
  [['list']],
  [['logs', 'one']],
  [['delete', 'one', '--yes']],
  [['key', 'list']],
  [['deploy', example]],
])('when %j runs, then it loads no service and no database', (args) => {
  const loaded = loadedBy(args);
  expect(loaded).toContain('cli');
  const allowed = [
    'archives',
    'cli',
    'contracts',
    'kit',
    // The names of its errors; the driver, `pg`, is not loaded.
    'postgres',
    'zod',
    'ignore',
    'tar',
    '@isaacs/fs-minipass',
    'chownr',
    'minipass',
    'minizlib',
    'yallist',
  ];
  expect(loaded.filter((name) => !allowed.includes(name))).toEqual([]);
});
