import { Problem } from '@roadstead/kit';
import { columnText } from '../values/column-text-rules.ts';

/** The tokens of a filter's text, with their places. */

export type Token =
  | { readonly kind: 'punctuation'; readonly text: '(' | ')' | '[' | ']' | ','; readonly at: number }
  | { readonly kind: 'name'; readonly text: string; readonly at: number }
  | { readonly kind: 'string'; readonly value: string; readonly at: number }
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  | { readonly kind: 'end'; readonly at: number };

/** Refuses a filter and shows its author the faulty place. Characters and lines are counted from 1. */
export type Refuse = (at: number, what: string, hint?: string) => Problem;

export function refuserOf(text: string, parameter: string): Refuse {
  return (at, what, hint) => {
    const lines = text.slice(0, at).split('\n');
    const column = (lines.at(-1) ?? '').length + 1;
    const place = text.includes('\n') ? `line ${lines.length}, character ${column}` : `character ${column}`;
    const sentence = `\`${parameter}\` is wrong at ${place}: ${what}.`;
    return new Problem('invalid', sentence, hint === undefined ? {} : { hint });
  };
}

const space = /[\s\u{feff}]*(?:#[^\n]*(?:\n|$)[\s\u{feff}]*)*/uy;
const number = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y;
const name = /[A-Za-z_][\w-]*(?:\.[\w-]+)*/y;

export function tokensOf(text: string, refuse: Refuse): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  for (;;) {
    at += take(space)?.length ?? 0;
    const first = text[at];
    if (first === undefined) return [...tokens, { kind: 'end', at }];
    if (first === '(' || first === ')' || first === '[' || first === ']' || first === ',') {
      tokens.push({ kind: 'punctuation', text: first, at });
      at += 1;
      continue;
    }
    if (first === '"' || first === "'") {
      const string = readString(text, { at, refuse });
      tokens.push({ kind: 'string', value: string.value, at });
      at = string.end;
      continue;
    }
    const digits = take(number);
    const word = digits === undefined ? take(name) : undefined;
    if (digits !== undefined) tokens.push({ kind: 'number', value: Number(digits), at });
    else if (word !== undefined) tokens.push({ kind: 'name', text: word, at });
    else throw refuse(at, 'a name, a value or a bracket is expected');
    at += (digits ?? word ?? '').length;
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/**
 * A text between single or double quotes, with the escapes of JSON; before any other character a backslash is
 * literal.
 */
function readString(
  text: string,
  { at, refuse }: { readonly at: number; readonly refuse: Refuse },
): { readonly value: string; readonly end: number } {
  const quote = text[at];
  let value = '';
  for (let index = at + 1; index < text.length; index += 1) {
    const character = text[index] ?? '';
    // The text drops characters that no column holds.
    if (character === quote) return { value: columnText(value), end: index + 1 };
    if (character !== '\\') {
      value += character;
      continue;
    }
    index += 1;
    const escaped = text[index] ?? '';
    const hex = escaped === 'u' ? /^[\da-fA-F]{4}/.exec(text.slice(index + 1, index + 5))?.[0] : undefined;
    if (hex !== undefined) {
      value += String.fromCharCode(Number.parseInt(hex, 16));
      index += 4;
    } else if ('"\'\\/'.includes(escaped)) value += escaped;
    else value += escapes[escaped] ?? `\\${escaped}`;
  }
  throw refuse(at, 'the text that begins here has no end');
}
