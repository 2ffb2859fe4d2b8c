import { Problem } from '@roadstead/kit';
import { nearestName } from './nearest-name-rules.ts';
import { type Refuse, refuserOf, type Token, tokensOf } from './filter-tokens.ts';
import {
  type Comparator,
  comparators,
  type Comparison,
  type FieldRef,
  type Fields,
  type Filter,
  logicals,
  type Scalar,
} from './filter-tree.ts';
import { comparatorsOf, readValue, refuseValue } from './filter-value-rules.ts';

/**
 * Reads the filter language: `and(eq(run_type, "llm"), gt(latency, "3s"), search("invoice 42"))`. A filter is one
 * expression; there are no infix operators. Comments begin with `#`.
 */

const MAX_BYTES = 10_240;
const MAX_DEPTH = 32;

export interface FilterReading {
  /** The parameter that holds the filter, for refusals. */
  readonly parameter: string;
  readonly fields: Fields;
}

/** @throws Problem `invalid` that names the faulty place, and what was likely meant. */
export function parseFilter(text: string, { parameter, fields }: FilterReading): Filter {
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new Problem('invalid', `\`${parameter}\` is longer than ${MAX_BYTES} bytes.`);
  const refuse = refuserOf(text, parameter);
  return new Parser(tokensOf(text, refuse), { fields, refuse }).parse();
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #fields: Fields;
  readonly #refuse: Refuse;
  #next = 0;

  constructor(tokens: readonly Token[], { fields, refuse }: { fields: Fields; refuse: Refuse }) {
    this.#tokens = tokens;
    this.#fields = fields;
    this.#refuse = refuse;
  }

  parse(): Filter {
    const filter = this.#expression(1);
    const rest = this.#peek();
    if (rest.kind !== 'end')
      throw this.#refuse(rest.at, 'the expression has ended before', 'Join several by and(…) or or(…).');
    return filter;
  }

  #expression(depth: number): Filter {
    const token = this.#take();
    if (token.kind !== 'name')
      throw this.#refuse(token.at, 'an expression such as eq(name, "router") is expected');
    if (depth > MAX_DEPTH)
      throw this.#refuse(token.at, `expressions are nested deeper than ${MAX_DEPTH} levels`);
    const name = token.text.toLowerCase();
    if (!isLogical(name) && !isComparator(name)) {
      const near = nearestName(name, [...logicals, ...comparators]);
      throw this.#refuse(token.at, `there is no comparator \`${token.text}\``, didYouMean(near));
    }
    this.#expect('(', `\`${name}\``);
    const filter = isLogical(name)
      ? this.#logical(name, depth)
      : name === 'search'
        ? this.#search()
        : this.#comparison(name);
    this.#expect(')', `the arguments of \`${name}\``);
    return filter;
  }

  #logical(kind: 'and' | 'or' | 'not', depth: number): Filter {
    const of = [this.#expression(depth + 1)];
    if (kind === 'not') return { kind, of: of[0] as Filter };
    while (this.#takeIf(',')) {
      if (this.#isNext(')')) break;
      of.push(this.#expression(depth + 1));
    }
    return { kind, of };
  }

  #search(): Filter {
    const first = this.#take();
    if (first.kind === 'string' && this.#isNext(')')) return { kind: 'search', text: first.value };
    const field = this.#field(first);
    if (field.searched !== true)
      throw this.#refuse(
        first.at,
        `\`${field.name}\` has no full text`,
        `Fields with full text are ${named(this.#fields, (one) => one.searched === true)}; search("…") looks into all of them.`,
      );
    this.#expect(',', `\`${field.name}\``);
    const text = this.#take();
    if (text.kind !== 'string') throw this.#refuse(text.at, 'a text to search for is expected');
    return { kind: 'search', field, text: text.value };
  }

  #comparison(comparator: Comparison['comparator']): Comparison {
    const first = this.#take();
    const field = this.#field(first);
    const allowed = comparatorsOf(field);
    if (!allowed.includes(comparator))
      throw this.#refuse(
        first.at,
        `\`${field.name}\` can't be compared by \`${comparator}\``,
        `It is compared by ${allowed.join(', ')}.`,
      );
    this.#expect(',', `\`${field.name}\``);
    const value_at = this.#peek().at;
    const value = this.#value();
    const read = readValue(value, { field, comparator });
    if (!read.ok) throw refuseValue(read, { at: value_at, refuse: this.#refuse });
    return { kind: 'comparison', comparator, field, value: read.value };
  }

  /** A field's name, bare, dotted or quoted. */
  #field(token: Token): FieldRef {
    const text = token.kind === 'name' ? token.text : token.kind === 'string' ? token.value : undefined;
    if (text === undefined) throw this.#refuse(token.at, 'the name of a field is expected');
    const whole = this.#fields[text];
    if (whole !== undefined && Object.hasOwn(this.#fields, text))
      return { ...whole, name: whole.name ?? text };
    // The longest known name that the text begins with: `extra.metadata` before `extra`.
    for (let dot = text.lastIndexOf('.'); dot > 0; dot = text.lastIndexOf('.', dot - 1)) {
      const object = text.slice(0, dot);
      const field = Object.hasOwn(this.#fields, object) ? this.#fields[object] : undefined;
      if (field?.type === 'object' && dot + 1 < text.length)
        return { ...field, name: field.name ?? object, path: text.slice(dot + 1) };
    }
    const near = nearestName(text, Object.keys(this.#fields));
    throw this.#refuse(token.at, `there is no field \`${text.slice(0, 100)}\``, didYouMean(near));
  }

  #value(): Scalar | readonly Scalar[] {
    if (!this.#takeIf('[')) return this.#scalar();
    const list: Scalar[] = [];
    while (!this.#isNext(']')) {
      list.push(this.#scalar());
      if (!this.#takeIf(',')) break;
    }
    this.#expect(']', 'the list');
    return list;
  }

  #scalar(): Scalar {
    const token = this.#take();
    if (token.kind === 'string' || token.kind === 'number') return token.value;
    const literal = token.kind === 'name' ? literals.get(token.text.toLowerCase()) : undefined;
    if (literal === undefined)
      throw this.#refuse(
        token.at,
        'a value is expected',
        token.kind === 'name' ? 'Texts stand in quotes.' : undefined,
      );
    return literal;
  }

  #peek(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#next += 1;
    return token;
  }

  #isNext(text: string): boolean {
    const token = this.#peek();
    return token.kind === 'punctuation' && token.text === text;
  }

  #takeIf(text: string): boolean {
    const is_next = this.#isNext(text);
    if (is_next) this.#next += 1;
    return is_next;
  }

  #expect(text: string, after: string): void {
    if (!this.#takeIf(text)) throw this.#refuse(this.#peek().at, `\`${text}\` is expected after ${after}`);
  }
}

const literals: ReadonlyMap<string, Scalar> = new Map<string, Scalar>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['none', null],
]);

const isLogical = (name: string): name is (typeof logicals)[number] =>
  (logicals as readonly string[]).includes(name);
const isComparator = (name: string): name is Comparator => (comparators as readonly string[]).includes(name);

const didYouMean = (near: string | undefined) =>
  near === undefined ? undefined : `Did you mean \`${near}\`?`;

const named = (fields: Fields, wanted: (field: Fields[string]) => boolean) =>
  Object.entries(fields)
    .filter(([, field]) => wanted(field))
    .map(([name]) => name)
    .join(', ');
