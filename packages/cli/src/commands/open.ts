import { spawn } from 'node:child_process';
import { z } from 'zod';
import { Problem, readConfig, setting } from '@roadstead/kit';
import { readByName } from '../deployments/deploy-source.ts';
import { safeJson } from '../terminal/safe-text.ts';
import { findTarget, type Target } from '../target/target.ts';
import { type Command, targetOptions } from '../command-line/command.ts';

/** Variables by which desktops announce a screen. */
const displaySettings = {
  x11: setting({ env: 'DISPLAY', doc: 'Set where X11 runs.', schema: z.string().optional() }),
  wayland: setting({ env: 'WAYLAND_DISPLAY', doc: 'Set where Wayland runs.', schema: z.string().optional() }),
};

export const open: Command = {
  name: 'open',
  operands: '[NAME]',
  summary:
    'Print the address of a deployment, or, without a name, one that signs you in to the console, once and within five minutes; on a desktop, open it in the browser too.',
  options: {
    print: { type: 'boolean', doc: 'only print it' },
    ...targetOptions,
  },
  examples: [
    { call: 'open', does: 'opens the console' },
    { call: 'open support-agent --print', does: 'prints its address' },
  ],
  completes: { NAME: 'deployments' },
  run: async ({ operands: [name], values, terminal }) => {
    const target = await findTarget(values);
    const found = await (name === undefined ? target.identity.createSignInLink({}) : addressOf(target, name));
    const { url } = found;
    terminal.out(values['json'] === true ? safeJson(found) : url);
    const asks = values['print'] !== true && values['json'] !== true && terminal.isInteractive;
    const opener = asks ? openerOf() : undefined;
    if (opener !== undefined) {
      // Whether a browser can open it is not known here.
      const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
      child.on('error', () => terminal.progress(`${opener} can't be run.`));
      child.unref();
    }
    return 0;
  },
};

async function addressOf(target: Target, name: string): Promise<{ url: string }> {
  const { url } = await readByName(target, name);
  if (url === null)
    throw new Problem('not_found', `${name} has no address yet; \`roadstead status ${name}\` says why.`);
  return { url };
}

/** The program that opens addresses on this desktop; undefined without one. */
function openerOf(): string | undefined {
  if (process.platform === 'darwin') return 'open';
  const { x11, wayland } = readConfig(displaySettings);
  return x11 === undefined && wayland === undefined ? undefined : 'xdg-open';
}
