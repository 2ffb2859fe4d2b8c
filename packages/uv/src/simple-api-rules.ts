import { z } from 'zod';

/** Reads the page of a package in a Python index, in either of its forms. Pure. */

const Page = z.object({ files: z.array(z.object({ filename: z.string(), url: z.string() })) });

/** The forms that we ask for. */
export const ACCEPT = 'application/vnd.pypi.simple.v1+json, text/html;q=0.5';

/** The address of a file, without the hash behind it; undefined where the page does not list it. */
export function findFileUrl(page: string, { file, at }: { readonly file: string; readonly at: string }) {
  const link = page.trimStart().startsWith('{') ? linkInJson(page, file) : linkInHtml(page, file);
  if (link === undefined || !URL.canParse(link, at)) return undefined;
  const url = new URL(link, at);
  url.hash = '';
  return url;
}

function linkInJson(page: string, file: string): string | undefined {
  const { data } = Page.safeParse(jsonOf(page));
  return data?.files.find(({ filename }) => filename === file)?.url;
}

function linkInHtml(page: string, file: string): string | undefined {
  for (const [, link = '', text = ''] of page.matchAll(
    /<a\s[^>]*?href\s*=\s*["']([^"']*)["'][^>]*>([^<]*)<\/a>/gi,
  ))
    if (text.trim() === file) return link.replaceAll('&amp;', '&');
  return undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
