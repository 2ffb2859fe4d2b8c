import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { assistantIdOf } from '@roadstead/kit';
import { nextStepLines } from './next-steps.ts';

const url = 'http://127.0.0.1:4100';
const agent = { name: 'support-agent', url: `${url}/agents/support-agent`, is_example: true };
const plain = { bold: (text: string) => text };
const told = {
  url,
  console_url: `${url}/oauth/sign-in/a-code`,
  key_file: '/data/api-key',
  agent,
  python_url: `${url}/agents/python-starter`,
  isolation: 'none',
  resource_limits: 'watch' as const,
  command: 'bin/roadstead.mjs',
};

/** The arguments that a shell parses from the printed commands that call a program. */
async function pasted(lines: readonly string[], program: string, env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-shell-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const script = `#!${process.execPath}\nconsole.log(JSON.stringify(process.argv.slice(2)))`;
  await writeFile(join(folder, program), script, { mode: 0o755 });
  const from = lines.findIndex((line) => line.startsWith(`  ${program} `));
  const command = lines.slice(from, lines[from]?.endsWith('\\') ? from + 2 : from + 1).join('\n');
  const said = execFileSync('/bin/sh', ['-c', command], {
    env: { PATH: `${folder}:/usr/bin:/bin`, ...env },
    encoding: 'utf8',
  });
  return JSON.parse(said) as string[];
}

test.each(['api-key', 'a key’s "file" $HOME', "it's"])(
  'when the key lies in %j, then what is printed can be pasted',
  async (name) => {
    const folder = await mkdtemp(join(tmpdir(), 'roadstead-steps-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const key_file = join(folder, name);
    await writeFile(key_file, 'rs_the-key\n');
    const lines = nextStepLines({ ...told, key_file }, plain);
    const curl = await pasted(lines, 'curl');
    expect(curl).toContain(`${agent.url}/a2a/${assistantIdOf('agent')}/`);
    expect(curl).toContain('X-Api-Key: rs_the-key');
    expect(JSON.parse(curl.at(-1) ?? '')).toMatchObject({ method: 'message/send' });
    const added = `mcp add --transport http roadstead ${url}/mcp --header`.split(' ');
    expect(await pasted(lines, 'claude')).toEqual([...added, 'SERVICE-API-KEY: rs_the-key']);
    expect(lines.join('\n')).toMatch(/Without --header .* sign in with the key/);
    const entry = lines.find((line) => line.includes('mcpServers')) ?? '';
    expect(JSON.parse(entry.slice(entry.indexOf('{')))).toMatchObject({
      mcpServers: { roadstead: { type: 'http', url: `${url}/mcp` } },
    });
  },
);

test('when the platform is ready, then it prints one address that signs in to the console', () => {
  expect(nextStepLines(told, plain).slice(1, 3)).toEqual([
    `Open the console: ${told.console_url}`,
    '  It signs in once, within five minutes; `bin/roadstead.mjs open` gives another.',
  ]);
  expect(nextStepLines({ ...told, console_url: undefined }, plain).join('\n')).not.toContain('console');
});

test('when the key comes from the environment, then what is printed reads it from there', async () => {
  const lines = nextStepLines({ ...told, key_file: undefined }, plain);
  expect(await pasted(lines, 'curl', { ROADSTEAD_API_KEY: 'mine' })).toContain('X-Api-Key: mine');
});

test('when an example in Python serves, then the steps name it, and else they do not', () => {
  const line = `  python-starter is an agent in Python, which answers the same way at ${url}/agents/python-starter`;
  expect(nextStepLines(told, plain)).toContain(line);
  expect(nextStepLines({ ...told, python_url: undefined }, plain).join('\n')).not.toContain('Python');
});

test('when there is no agent, then it shows how to deploy one; for another agent, its card', () => {
  expect(nextStepLines({ ...told, agent: undefined }, plain)).toContain('  bin/roadstead.mjs deploy DIR');
  const lines = nextStepLines({ ...told, agent: { ...agent, is_example: false } }, plain);
  expect(lines.join('\n')).toContain(`curl -s ${agent.url}/.well-known/agent-card.json`);
});

test('when the steps end, then they say how agents are isolated and limited, and how to stop', () => {
  const [sentence, last] = nextStepLines(told, plain).slice(-2);
  expect(sentence).toBe(
    'Agents run as your own user (isolation: none): deploy only code that you trust. One that takes more memory than ROADSTEAD_HOST_MEMORY_MB is ended; processors are not limited.',
  );
  expect(last).toBe('Ctrl-C stops everything.');
  const fenced = { ...told, isolation: 'namespace', resource_limits: 'cgroup' as const };
  expect(nextStepLines(fenced, plain).at(-2)).toBe(
    'Agents see neither your files nor your processes (isolation: namespace); SECURITY.md says what that means. The kernel limits their memory and processors (ROADSTEAD_HOST_MEMORY_MB, ROADSTEAD_HOST_CPUS).',
  );
});
