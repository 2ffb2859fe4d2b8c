import { Problem } from '@roadstead/kit';
import type { ChatMessage, ChatPart } from '../models/model-call.ts';
import { messagesIn } from './message-rules.ts';
import type { Template, TemplateMessage, TemplatePlaceholder, TemplateVariables } from './template.ts';
import { filledText, type KnownVariables } from './text-template-rules.ts';

/** The messages of a template with these variables. @throws Problem that names all that are missing. */
export function filledTemplate(template: Template, variables: TemplateVariables): ChatMessage[] {
  const filling: KnownVariables = { variables, missing: new Set() };
  const messages = template.flatMap((one) =>
    'placeholder' in one ? placed(one, filling) : [filledMessage(one, filling)],
  );
  if (filling.missing.size > 0) {
    const names = [...filling.missing].slice(0, 20).map((name) => `"${name.slice(0, 100)}"`);
    throw new Problem('invalid', `The messages name variables that are not given: ${names.join(', ')}.`);
  }
  if (messages.length === 0) throw new Problem('invalid', 'With these variables there is no message.');
  return messages;
}

function filledMessage({ parts, ...message }: TemplateMessage, filling: KnownVariables): ChatMessage {
  return {
    ...message,
    parts: parts.map((part): ChatPart => {
      const text = filledText(part, filling);
      return part.type === 'text' ? { type: 'text', text } : { type: 'image', url: text };
    }),
  };
}

function placed({ placeholder, is_optional }: TemplatePlaceholder, filling: KnownVariables): ChatMessage[] {
  const value = filling.variables[placeholder];
  if (value === undefined || value === null) {
    if (!is_optional) filling.missing.add(placeholder);
    return [];
  }
  const messages = messagesIn(value);
  if (messages === undefined)
    throw new Problem('invalid', `The variable "${placeholder.slice(0, 100)}" must hold messages.`);
  return messages.map((message) => filledMessage(message, filling));
}
