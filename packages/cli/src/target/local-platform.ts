import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@roadstead/contracts';
import { platform } from '@roadstead/contracts/platform';
import { Problem, readConfig } from '@roadstead/kit';
import type { CommandCall } from '../command-line/command.ts';
import { dataFolderOf } from './data-folder-path.ts';
import { chosenTarget, findTarget, type Target, targetSettings } from './target.ts';

/** A platform on this machine whose data folder is ours to write to. */
export interface LocalPlatform extends AsyncDisposable {
  readonly target: Target;
  readonly data_folder: string;
}

/** The running platform, or one that is started and stopped with us. */
export async function openLocalPlatform(
  { values, terminal }: Pick<CommandCall, 'values' | 'terminal'>,
  signal: AbortSignal,
): Promise<LocalPlatform> {
  const { url, by } = await chosenTarget(values);
  const data_folder = dataFolderOf(readConfig(targetSettings).data_folder);
  await using stack = new AsyncDisposableStack();
  if (!(await isReady(url))) {
    if (by !== 'this machine')
      throw new Problem('unavailable', `${url} cannot be reached, and is not for this command to start.`);
    terminal.progress(`No Roadstead runs at ${url}; starting one.`);
    stack.use(await startPlatform(terminal.progress, signal));
  }
  const target = await findTarget(values);
  await requireOwn(target, data_folder);
  const opened = stack.move();
  return { target, data_folder, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const isReady = (url: string) =>
  createClient(platform, { base_url: url })
    .readReady({})
    .then(
      () => true,
      () => false,
    );

/** Verifies that the platform's listener is the one in the data folder. */
async function requireOwn({ url, control }: Target, data_folder: string): Promise<void> {
  const own = (await readFile(join(data_folder, 'listener-id'), 'utf8').catch(() => '')).trim();
  const { resources } = await control.listListeners({ query: { limit: 100 } });
  if (resources.some(({ id }) => id === own)) return;
  throw new Problem(
    'invalid',
    `The platform at ${url} is not the one of the data folder ${data_folder}: a folder of this machine can be served by a platform of this machine only.`,
    { hint: 'ROADSTEAD_DATA_DIR names its data folder; `roadstead deploy` deploys to any platform.' },
  );
}

/** Ends with us, however we end; in a group of its own, so that after Ctrl-C we decide when to stop it. */
async function startPlatform(onLine: (line: string) => void, signal: AbortSignal): Promise<AsyncDisposable> {
  const child = spawn(process.execPath, [process.argv[1] ?? '', 'up', '--no-next-steps'], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  const ended = once(child, 'close');
  let said = '';
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (bytes: Buffer) => {
        said += bytes.toString();
        if (said.includes('ready at')) resolve();
      });
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
  };
  const aborted = once(signal, 'abort');
  await Promise.race([ready, ended, aborted]);
  if (signal.aborted) await stop();
  signal.throwIfAborted();
  if (child.exitCode !== null)
    throw new Problem('unavailable', `The platform did not start: ${said.trim().split('\n').at(-1) ?? ''}`);
  onLine('The platform runs; it stops with this command.');
  return { [Symbol.asyncDispose]: stop };
}
