import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useFolder } from '@roadstead/testing';
import { pythonTools } from '@roadstead/testing/processes';
import { expect, test } from 'vitest';
import { freePort, processesOf } from '../support/platform.ts';

/** The package that is published, as who installs it has it: an empty folder, npm, and the command. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = useFolder('roadstead-packed-');
const tools = await pythonTools();
if (typeof tools === 'string') process.stderr.write(`The packed Python host is NOT TESTED. ${tools}\n`);
const examples = ['support-agent', ...(typeof tools === 'string' ? [] : ['python-starter'])];

test('when the package is installed in an empty folder, then it starts, deploys and stops', async () => {
  const packed = execFileSync(process.execPath, [join(root, 'bin', 'pack.mjs')], { encoding: 'utf8' }).trim();
  execFileSync('npm', ['init', '--yes', '--silent'], { cwd: folder() });
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', join(root, packed)], {
    cwd: folder(),
  });
  const command = join(folder(), 'node_modules', '.bin', 'roadstead');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const data = join(folder(), 'data');
  const env = {
    // Without the checkout's own programs, so with the Node of the machine.
    PATH: (process.env['PATH'] ?? '')
      .split(':')
      .filter((one) => !one.includes('node_modules'))
      .join(':'),
    HOME: folder(),
    ROADSTEAD_DATA_DIR: data,
    PORT: String(port),
    NO_COLOR: '1',
  };
  const run = (...args: string[]) => execFileSync(command, args, { env, cwd: folder(), encoding: 'utf8' });
  expect(run('--version').trim()).toBe(
    (JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }).version,
  );

  expect(run('init', '--list')).toContain('typescript-starter');
  const platform = spawn(command, ['up'], { env, cwd: folder(), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [platform.stdout, platform.stderr])
      stream.on('data', (bytes: Buffer) => {
        output += bytes.toString();
        if (output.includes('ready at')) resolve();
      });
    platform.once('exit', () => reject(new Error(`up ended: ${output}`)));
  });
  try {
    await ready;
    const key = (await readFile(join(data, 'api-key'), 'utf8')).trim();
    for (const name of examples) {
      run('deploy', join(folder(), 'node_modules', 'roadstead', 'examples', name), '--name', name);
      const answer = await fetch(`${url}/agents/${name}/a2a/agent`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: '1',
          method: 'message/send',
          params: {
            message: { role: 'user', messageId: 'm', parts: [{ kind: 'text', text: 'My name is Ada' }] },
          },
        }),
      });
      expect(await answer.json()).toMatchObject({ result: { status: { state: 'completed' } } });
    }
    expect(await (await fetch(`${url}/openapi/platform.json`)).json()).toMatchObject({ openapi: '3.1.0' });
  } finally {
    platform.removeAllListeners('exit');
    if (platform.exitCode === null) {
      platform.kill('SIGTERM');
      await once(platform, 'exit');
    }
  }
  expect(platform.exitCode).toBe(0);
  await expect.poll(() => processesOf(data)).toEqual([]);
});
