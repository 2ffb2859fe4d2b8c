import { randomUUID } from 'node:crypto';
import { api } from './console.ts';
import { allPayloads, shortOf } from './payloads.ts';

/** Texts of which each holds payloads, and what else makers of hostile things share. */

export interface HostileView {
  /** Below `/console`. */
  readonly path: string;
  /** What is there once the view has shown the thing. */
  readonly shows: string;
}

type Undo = () => Promise<unknown>;

/** Things of one kind: the views that show them, and how they go again. */
export interface HostilePart {
  readonly views: readonly HostileView[];
  readonly undo: readonly Undo[];
  /** Views that need no sign-in. */
  readonly shared?: readonly HostileView[];
}

/** Begins every text, so that one finds it. */
export const WORD = `hostile-${randomUUID().slice(0, 8)}`;
export const hostileName = (most: number) => `${WORD} ${shortOf(most - WORD.length - 1)}`;
export const long = `${WORD} ${allPayloads}`;
export const free = { text: long, [allPayloads]: long, list: [long], url: 'javascript:self.ran=1' };

export const shows = (path: string, text = WORD): HostileView => ({ path, shows: text });
export const make = <T = { readonly id: string }>(path: string, body: object) =>
  api<T>(path, { method: 'POST', body });
export const removing =
  (path: string): Undo =>
  () =>
    api(path, { method: 'DELETE' });

const base64 = (text: string) => Buffer.from(text).toString('base64');

export const messages = [
  { role: 'user', content: long, name: shortOf(60) },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: long },
      { type: 'image_url', image_url: { url: 'javascript:self.ran=1' } },
      { type: 'image_url', image_url: { url: 'https://evil.invalid/message.png' } },
      { type: 'image_url', image_url: { url: `data:image/svg+xml,<svg onload="self.ran=1"/>` } },
      { type: 'text', mime_type: 'text/html', text: long, metadata: { filename: hostileName(80) } },
      { type: 'file', mime_type: 'image/svg+xml', data: base64(long), metadata: { filename: 'drawing.svg' } },
      { type: 'thinking', thinking: long },
      { type: 'input_audio', input_audio: { data: allPayloads, format: '"><script>' } },
      { type: allPayloads, text: allPayloads },
    ],
    tool_calls: [{ id: shortOf(60), name: hostileName(120), args: free, type: 'tool_call' }],
  },
  { role: 'tool', content: long, name: hostileName(60), tool_call_id: shortOf(60) },
];
