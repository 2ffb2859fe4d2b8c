import { Problem } from '@roadstead/kit';
import { record } from '../models/loose-json-rules.ts';
import type { TemplateText, TemplateVariables, TextFormat } from './template.ts';

/** Fills texts that name variables, as LangChain does: without escapes of HTML. */

/** Notes variables that are missing. */
export interface KnownVariables {
  readonly variables: TemplateVariables;
  readonly missing: Set<string>;
}

const fillers: Readonly<Record<TextFormat, (text: string, filling: KnownVariables) => string>> = {
  none: (text) => text,
  'f-string': fillFString,
  mustache: (text, { variables, missing }) =>
    renderMustache(parseMustache(text), { scopes: [variables], missing }),
};

export const filledText = ({ text, format }: TemplateText, filling: KnownVariables): string =>
  fillers[format](text, filling);

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

function fillFString(text: string, { variables, missing }: KnownVariables): string {
  return text.replaceAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (found: string, name: string | undefined) => {
    if (found === '{{' || found === '}}') return found.charAt(0);
    if (name === undefined)
      throw new Problem('invalid', 'A text has a single brace that names no variable.', {
        hint: 'Write it twice, or use the template format "none".',
      });
    const wanted = name.replace(/[!:].*$/s, '').trim();
    if (!Object.hasOwn(variables, wanted)) missing.add(wanted);
    return asText(variables[wanted]);
  });
}

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string }
  | {
      readonly kind: 'section';
      readonly name: string;
      readonly is_inverted: boolean;
      readonly nodes: Node[];
    };

/** Texts of prompts are short; one that opens more than this is none. */
const MAX_DEPTH = 50;

function parseMustache(text: string): Node[] {
  const root: Node[] = [];
  const open: { readonly name: string; readonly nodes: Node[] }[] = [{ name: '', nodes: root }];
  let at = 0;
  for (const tag of text.matchAll(/\{\{\{\s*([^{}]+?)\s*\}\}\}|\{\{\s*([#^/!&]?)\s*([^{}]*?)\s*\}\}/g)) {
    const nodes = open.at(-1)?.nodes ?? root;
    if (tag.index > at) nodes.push({ kind: 'text', text: text.slice(at, tag.index) });
    at = tag.index + tag[0].length;
    const [, raw, sign = '', given = ''] = tag;
    const name = raw ?? given;
    if (sign === '!') continue;
    if (sign === '#' || sign === '^') {
      const inner: Node[] = [];
      nodes.push({ kind: 'section', name, is_inverted: sign === '^', nodes: inner });
      open.push({ name, nodes: inner });
    } else if (sign !== '/') nodes.push({ kind: 'variable', name });
    else if (open.length === 1 || open.pop()?.name !== name) throw unclosed();
    if (open.length > MAX_DEPTH) throw unclosed();
  }
  if (open.length > 1) throw unclosed();
  if (at < text.length) root.push({ kind: 'text', text: text.slice(at) });
  return root;
}

const unclosed = () =>
  new Problem('invalid', 'A text opens a section of mustache that it does not close, or closes another one.');

interface MustacheState {
  /** The innermost comes last. */
  readonly scopes: readonly unknown[];
  readonly missing: Set<string>;
}

function renderMustache(nodes: readonly Node[], rendering: MustacheState): string {
  return nodes
    .map((node) => {
      if (node.kind === 'text') return node.text;
      const value = lookUp(node.name, rendering.scopes);
      if (node.kind === 'variable') {
        if (value === undefined) rendering.missing.add(node.name);
        return asText(value);
      }
      return renderSection(node, value, rendering);
    })
    .join('');
}

function renderSection(
  { is_inverted, nodes }: Extract<Node, { kind: 'section' }>,
  value: unknown,
  { scopes, missing }: MustacheState,
): string {
  const isEmpty =
    value === undefined ||
    value === null ||
    value === false ||
    value === '' ||
    (Array.isArray(value) && value.length === 0);
  if (is_inverted) return isEmpty ? renderMustache(nodes, { scopes, missing }) : '';
  if (isEmpty) return '';
  const items = Array.isArray(value) ? (value as unknown[]) : [value];
  return items.map((item) => renderMustache(nodes, { scopes: [...scopes, item], missing })).join('');
}

function lookUp(name: string, scopes: readonly unknown[]): unknown {
  if (name === '.') return scopes.at(-1);
  const [first = '', ...others] = name.split('.');
  const scope = scopes.toReversed().find((one) => Object.hasOwn(record(one), first));
  return others.reduce<unknown>((value, key) => memberOf(value, key), memberOf(scope, first));
}

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
