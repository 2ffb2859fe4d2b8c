import type { JsonSchema } from '../values/schema-rules.ts';
import type { Checker, SourceFile, Type, TypeScript, TypeSymbol } from './typescript-api.ts';

/** Types of TypeScript as JSON Schema. What JSON does not know, such as functions, is left out; what is deep says nothing more. */

/** Enough for a state, and an end for types that hold themselves. */
const MAX_DEPTH = 6;

export interface TypeReader {
  readonly ts: TypeScript;
  readonly checker: Checker;
  /** Where the types are looked at from. */
  readonly file: SourceFile;
}

export function typeSchema(reader: TypeReader, type: Type, depth = 0): JsonSchema {
  const { ts, checker } = reader;
  const is = (flags: number) => (type.flags & flags) !== 0;
  if (type.isUnion()) return unionSchema(reader, type.types ?? [], depth);
  if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
  if (type.intrinsicName === 'true' || type.intrinsicName === 'false')
    return { const: type.intrinsicName === 'true' };
  if (is(ts.TypeFlags.StringLike)) return { type: 'string' };
  if (is(ts.TypeFlags.NumberLike)) return { type: 'number' };
  if (is(ts.TypeFlags.BooleanLike)) return { type: 'boolean' };
  if (is(ts.TypeFlags.Null)) return { type: 'null' };
  if (type.symbol?.name === 'Date') return { type: 'string', format: 'date-time' };
  if (depth >= MAX_DEPTH) return {};
  if (checker.isArrayType(type)) return { type: 'array', ...itemsOf(reader, type, depth) };
  if (checker.isTupleType(type))
    return {
      type: 'array',
      prefixItems: checker.getTypeArguments(type).map((one) => typeSchema(reader, one, depth + 1)),
    };
  return objectSchema(reader, type, depth);
}

function itemsOf(reader: TypeReader, type: Type, depth: number): { items?: JsonSchema } {
  const [item] = reader.checker.getTypeArguments(type);
  return item === undefined ? {} : { items: typeSchema(reader, item, depth + 1) };
}

function unionSchema(reader: TypeReader, types: readonly Type[], depth: number): JsonSchema {
  const { ts } = reader;
  const told = types
    .filter((one) => (one.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) === 0 && !isOverwrite(one))
    .map((one) => typeSchema(reader, one, depth));
  // `boolean` is a union of its two values.
  const values = told.filter((one) => 'const' in one).map((one) => one['const']);
  const others = told.filter((one) => !('const' in one));
  const is_boolean = values.includes(true) && values.includes(false);
  const rest = is_boolean ? values.filter((value) => typeof value !== 'boolean') : values;
  const all = [
    ...(is_boolean ? [{ type: 'boolean' }] : []),
    ...(rest.length > 0 ? [{ enum: rest }] : []),
    ...others,
  ];
  const [only] = all;
  return all.length === 1 && only !== undefined ? only : all.length === 0 ? {} : { anyOf: all };
}

/** LangGraph's way of going around a reducer, which each field with one takes, too. */
const isOverwrite = (type: Type) => has(type, '__overwrite__');

const has = (type: Type, field: string) => type.getProperties().some(({ name }) => name === field);

function objectSchema(reader: TypeReader, type: Type, depth: number): JsonSchema {
  const { ts, checker, file } = reader;
  // Classes of LangChain are written in ways of their own.
  if (has(type, 'lc_serializable')) return {};
  const index = type.getStringIndexType();
  const fields = type.getProperties().flatMap((symbol): [TypeSymbol, Type][] => {
    const of = checker.getTypeOfSymbolAtLocation(symbol, file);
    return of.getCallSignatures().length > 0 ? [] : [[symbol, of]];
  });
  // `any`, `unknown` and empty objects say nothing.
  if (fields.length === 0 && index === undefined) return {};
  const properties = fields.map(([symbol, of]) => {
    const description = ts.displayPartsToString(symbol.getDocumentationComment(checker));
    return [
      symbol.name,
      { ...typeSchema(reader, of, depth + 1), ...(description === '' ? {} : { description }) },
    ] as const;
  });
  const others = index === undefined ? {} : typeSchema(reader, index, depth + 1);
  const required = fields
    .filter(([{ flags }]) => (flags & ts.SymbolFlags.Optional) === 0)
    .map(([{ name }]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    ...(Object.keys(others).length > 0 ? { additionalProperties: others } : {}),
  };
}
