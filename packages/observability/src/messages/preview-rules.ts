import type { threadPreviews } from '@roadstead/contracts/observability';
import type { Message } from '@roadstead/contracts/messages';

/** A conversation as text: JSON objects with empty lines between them. */

export type PreviewForm = (typeof threadPreviews)[number];

const isSpoken = ({ role }: Message) => role === 'user' || role === 'assistant';

const chosen: Readonly<Record<PreviewForm, (messages: readonly Message[]) => readonly Message[]>> = {
  all_messages: (messages) => messages,
  human_ai_pairs: (messages) => messages.filter(isSpoken),
  first_human_last_ai: (messages) =>
    [
      messages.find(({ role }) => role === 'user'),
      messages.findLast(({ role }) => role === 'assistant'),
    ].filter((message) => message !== undefined),
};

export function previewText(messages: readonly Message[], form: PreviewForm): string {
  return chosen[form](messages)
    .map((message) => JSON.stringify(message))
    .join('\n\n');
}
