import type { ChatMessage } from '../models/model-call.ts';

/** Messages whose texts name variables. */

export type TextFormat = 'mustache' | 'f-string' | 'none';

export interface TemplateText {
  readonly text: string;
  readonly format: TextFormat;
}

export type TemplatePart =
  | ({ readonly type: 'text' } & TemplateText)
  | ({ readonly type: 'image' } & TemplateText);

export interface TemplateMessage extends Omit<ChatMessage, 'parts'> {
  readonly parts: readonly TemplatePart[];
}

/** Stands for the messages that a variable holds. */
export interface TemplatePlaceholder {
  readonly placeholder: string;
  readonly is_optional: boolean;
}

export type Template = readonly (TemplateMessage | TemplatePlaceholder)[];

export type TemplateVariables = Readonly<Record<string, unknown>>;
