import { documentOf, type Html, html, pageHeaders } from '@roadstead/pages';
import type { BuildState } from './console-build.ts';

/** What a browser sees while there is no console: that it comes, or what to do about it. */

interface NotBuilt {
  readonly title: string;
  readonly body: Html;
  /** After so many seconds the page asks again. */
  readonly again_s: number;
}

const soon: NotBuilt = {
  title: 'One moment',
  body: html`<h1>The console is being built</h1>
    <p>It takes some seconds after an update, and this page opens it by itself.</p>
    <p class="quiet">Everything else serves already.</p>`,
  again_s: 1,
};

const pages: Readonly<Record<BuildState, NotBuilt>> = {
  running: soon,
  done: soon,
  // What the builder said may name files of this machine, which is not for everybody who opens the page.
  failed: {
    title: 'Not built',
    body: html`<h1>The console could not be built</h1>
      <p>
        Where <code>npm start</code> runs stands why. When that is mended,
        <code>node bin/console.mjs</code> builds the console, and this page opens it.
      </p>
      <p class="quiet">Everything else serves: the API and the commands of <code>roadstead</code>.</p>`,
    again_s: 10,
  },
  elsewhere: {
    title: 'Not built',
    body: html`<h1>The console is not built here</h1>
      <p>In a checkout, <code>npm start</code> or <code>node bin/console.mjs</code> builds it.</p>
      <p class="quiet">Everything else serves: the API and the commands of <code>roadstead</code>.</p>`,
    again_s: 10,
  },
};

export function notBuiltAnswer(state: BuildState): Response {
  const { title, body, again_s } = pages[state];
  return new Response(documentOf({ title, body }), {
    status: 503,
    headers: { ...pageHeaders(), refresh: String(again_s), 'retry-after': String(again_s) },
  });
}
