import type { TestProject } from 'vitest/node';
import { buildConsole } from '../../../bin/console.mjs';
import { dataHome, startPlatform } from '../../support/platform.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The platform that all stories of the console share; each story makes what it looks at. */
    readonly platform: {
      readonly url: string;
      readonly key: string;
      /** Whether it was up already, so that it serves a console other than this one. */
      readonly is_foreign: boolean;
    };
  }
}

/**
 * Starts one platform, with its examples, for all stories. Where `ROADSTEAD_TEST_PLATFORM` names one that is up, by its address
 * and a key, stories look at that one, through the console of this checkout: so a view is tried within seconds.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  await buildConsole();
  const [url, key] = process.env['ROADSTEAD_TEST_PLATFORM']?.split(' ') ?? [];
  if (url !== undefined && key !== undefined) {
    provide('platform', { url, key, is_foreign: true });
    return async () => {};
  }
  const home = await dataHome();
  const platform = await startPlatform(home.path, {
    args: ['--example'],
    env: {
      ROADSTEAD_CONSOLE: 'true',
      ROADSTEAD_ALLOWED_HOSTS: '127.0.0.1',
      ROADSTEAD_PUBLIC_SHARING: 'true',
    },
  });
  provide('platform', { url: platform.url, key: platform.key, is_foreign: false });
  return async () => {
    await platform[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  };
}
