import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';

/** The chat of `chat.js`, which front ends' hooks fill, and what a person does in it. */

const html = (body: string, type: string) => new Response(body, { headers: { 'content-type': type } });

/** Answers the page and its script; undefined for everything else. */
export async function chatPage(): Promise<(request: Request) => Response | undefined> {
  const built = await build({
    entryPoints: [fileURLToPath(new URL('chat.js', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const script = built.outputFiles[0]?.text ?? '';
  return ({ url }) => {
    const { pathname } = new URL(url);
    if (pathname === '/')
      return html('<!doctype html><body><script type=module src=/chat.js></script>', 'text/html');
    return pathname === '/chat.js' ? html(script, 'text/javascript') : undefined;
  };
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

export const said = (page: Page) => page.getByRole('listitem').allTextContents();

export const rests = (page: Page) => page.getByRole('status').filter({ hasText: 'at rest' }).waitFor();
