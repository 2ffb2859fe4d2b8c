import { stripVTControlCharacters } from 'node:util';
import { lineSafe } from '@roadstead/kit';

/**
 * Makes foreign text, such as an agent's output, safe for a terminal: no escape sequence or control character is
 * left.
 */
export function safeText(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\r\n', '\n').replaceAll(CONTROL, '');
}

/** JSON on one line, with every control character escaped. */
export function safeJson(value: unknown): string {
  return lineSafe(JSON.stringify(value)).replaceAll(
    CONTROL,
    (character) => String.raw`\u` + character.charCodeAt(0).toString(16).padStart(4, '0'),
  );
}

// oxlint-disable-next-line no-control-regex -- C0 but for tab and newline, DEL, C1, and what turns the direction of writing
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
