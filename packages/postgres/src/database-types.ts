import { types } from 'pg';

type Parser = (text: string) => unknown;

/** The declaration of `pg` knows no array types. */
const defaultParser = types.getTypeParser as (oid: number, format?: 'text' | 'binary') => Parser;

const toInteger: Parser = (text) => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
};

const utc = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/;

/** Truncated to milliseconds, not rounded. `infinity` and years outside 0 to 9999 stay in PostgreSQL's notation. */
const toInstant: Parser = (text) => {
  const [, date, time, fraction = ''] = utc.exec(text) ?? [];
  return date === undefined ? text : `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
};

const asText: Parser = (text) => text;

const text_array = 1009;
const arrayOf = (parse: Parser): Parser => {
  const parseElement = (element: unknown): unknown =>
    Array.isArray(element)
      ? element.map(parseElement)
      : typeof element === 'string'
        ? parse(element)
        : element;
  return (text) => parseElement(defaultParser(text_array)(text));
};

/** Parsers by type oid: int8, timestamptz, date, timestamp, and the arrays of these. */
const parsers = new Map<number, Parser>([
  [20, toInteger],
  [1184, toInstant],
  [1082, asText],
  [1114, asText],
  [1016, arrayOf(toInteger)],
  [1185, arrayOf(toInstant)],
  [1182, arrayOf(asText)],
  [1115, arrayOf(asText)],
]);

/** Reads the values of our pools; other pools of the process keep the defaults of `pg`. */
export const typeParsers = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): Parser =>
    (format === 'binary' ? undefined : parsers.get(oid)) ?? defaultParser(oid, format),
};
