/** Parses the refusal of a filter into its parts. */

interface FilterFault {
  readonly message: string;
  /** The position in the filter, from 1. */
  readonly position?: number;
  /** The text at this position. */
  readonly near?: string;
  readonly suggestion?: string;
}

const PLACE = / at (?:line (\d+), )?character (\d+)/;
const NEAR = 40;

export function filterFaultAt(filter: string, said: string): FilterFault {
  const [place = '', line, column] = PLACE.exec(said) ?? [];
  const end = said.indexOf('. ', said.indexOf(place) + place.length);
  const message = end === -1 ? said : said.slice(0, end + 1);
  const suggestion = end === -1 ? {} : { suggestion: said.slice(end + 2) };
  if (column === undefined) return { message, ...suggestion };
  const before = filter.split('\n').slice(0, Number(line ?? 1) - 1);
  const at = before.reduce((sum, one) => sum + one.length + 1, 0) + Number(column) - 1;
  return { message, position: at + 1, near: filter.slice(at, at + NEAR).toWellFormed(), ...suggestion };
}
