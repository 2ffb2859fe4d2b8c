import { z } from 'zod';
import { type Client, type ClientOptions, createClient } from '@roadstead/contracts';
import { type ControlPlaneContract, controlPlane } from '@roadstead/contracts/control-plane';
import { type IdentityContract, identity } from '@roadstead/contracts/identity';
import { Problem, readConfig, setting } from '@roadstead/kit';
import type { CommandCall } from '../command-line/command.ts';
import { textOf } from '../command-line/command.ts';
import { chooseTarget } from './context-rules.ts';
import { readContexts } from './contexts.ts';
import { dataFolderOf, readKeyFile } from './data-folder-path.ts';

export const targetSettings = {
  url: setting({
    env: 'ROADSTEAD_URL',
    doc: 'The platform that the command line talks to.',
    schema: z.string().optional(),
  }),
  port: setting({
    env: 'PORT',
    doc: 'Its port, where ROADSTEAD_URL is unset.',
    schema: z.coerce.number().int().optional(),
    shown_default: '`4100`',
  }),
  api_key: setting({ env: 'ROADSTEAD_API_KEY', doc: 'API key for it.', schema: z.string().optional() }),
  data_folder: setting({
    env: 'ROADSTEAD_DATA_DIR',
    doc: 'Where its api-key lies, when it runs here.',
    schema: z.string().optional(),
  }),
};

/** The platform that a command talks to. */
export interface Target {
  readonly url: string;
  readonly api_key: string;
  readonly control: Client<ControlPlaneContract>;
  readonly identity: Client<IdentityContract>;
}

/** The chosen platform, and what it was chosen by. */
export async function chosenTarget(values: CommandCall['values']): Promise<ReturnType<typeof chooseTarget>> {
  return chooseTarget({
    options: {
      url: textOf(values['url']),
      api_key: textOf(values['api-key']),
      context: textOf(values['context']),
    },
    environment: readConfig(targetSettings),
    contexts: await readContexts(),
  });
}

/** The address alone: for commands with a key of their own. */
export async function platformUrl(values: CommandCall['values']): Promise<string> {
  return (await chosenTarget(values)).url;
}

export async function findTarget(values: CommandCall['values']): Promise<Target> {
  const { url, api_key } = await chosenTarget(values);
  const key = api_key ?? (await readKeyFile(dataFolderOf(readConfig(targetSettings).data_folder)));
  if (key === undefined)
    throw new Problem(
      'unauthenticated',
      'No API key: pass --api-key, set ROADSTEAD_API_KEY, `roadstead login URL` to a platform, or start one here with `roadstead up`.',
    );
  return targetOf(url, key);
}

export function targetOf(url: string, api_key: string): Target {
  const options: ClientOptions = {
    base_url: url,
    headers: { 'x-api-key': api_key },
    // A redirect would carry the key to an address that the user did not name.
    fetch: (request, init) => fetch(request, { ...init, redirect: 'manual' }),
  };
  return {
    url,
    api_key,
    control: createClient(controlPlane, options),
    identity: createClient(identity, options),
  };
}
