import type { TestProject } from 'vitest/node';
import { buildConsole } from '../../../bin/console.mjs';
import { dataHome, startPlatform } from '../../support/platform.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The platform that all stories of the console share; each story makes what it looks at. */
    readonly platform: { readonly url: string; readonly key: string; readonly folder: string };
  }
}

/** Starts one platform, with its examples, for all stories. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  await buildConsole();
  const home = await dataHome();
  const platform = await startPlatform(home.path, {
    args: ['--example'],
    env: {
      ROADSTEAD_CONSOLE: 'true',
      ROADSTEAD_ALLOWED_HOSTS: '127.0.0.1',
      ROADSTEAD_PUBLIC_SHARING: 'true',
    },
  });
  provide('platform', { url: platform.url, key: platform.key, folder: home.path });
  return async () => {
    await platform[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  };
}
