import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildConsole } from '../../../bin/console.mjs';
import { dataHome, startPlatform } from '../../support/platform.ts';

/** The platform that all stories of the console share; each story makes what it looks at. */
export interface SharedPlatform {
  readonly url: string;
  readonly key: string;
  /** Whether it was up already, so that it serves a console other than this one. */
  readonly is_foreign: boolean;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The file that holds the shared platform, once it is ready, or why it is not. */
    readonly platform_file: string;
  }
}

/**
 * Starts one platform, with its examples, for all stories. Other tests begin meanwhile: stories wait for its file. Where
 * `ROADSTEAD_TEST_PLATFORM` names one that is up, by its address and a key, stories look at that one, through the console of
 * this checkout: so a view is tried within seconds.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const home = await dataHome();
  const file = join(home.path, 'shared-platform.json');
  provide('platform_file', file);
  const tell = async (what: SharedPlatform | { readonly failure: string }) => {
    // Whoever waits for the file reads it as soon as it is there: whole.
    await writeFile(`${file}.part`, JSON.stringify(what));
    await rename(`${file}.part`, file);
  };
  const starting = start(home.path).then(
    async (started) => {
      await tell(started.shared);
      return started;
    },
    (error: unknown) => tell({ failure: String(error) }),
  );
  return async () => {
    const started = await starting;
    await started?.[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  };
}

async function start(folder: string): Promise<{ readonly shared: SharedPlatform } & AsyncDisposable> {
  await buildConsole();
  const [url, key] = process.env['ROADSTEAD_TEST_PLATFORM']?.split(' ') ?? [];
  if (url !== undefined && key !== undefined)
    return { shared: { url, key, is_foreign: true }, [Symbol.asyncDispose]: async () => {} };
  const platform = await startPlatform(folder, {
    args: ['--example'],
    env: {
      ROADSTEAD_CONSOLE: 'true',
      ROADSTEAD_ALLOWED_HOSTS: '127.0.0.1',
      ROADSTEAD_PUBLIC_SHARING: 'true',
    },
  });
  return {
    shared: { url: platform.url, key: platform.key, is_foreign: false },
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}
