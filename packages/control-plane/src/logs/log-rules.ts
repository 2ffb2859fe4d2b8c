import { LogLevel } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';

/** The most bytes of a log, before compression. */
export const quotas = { build: 10_000_000, server: 100_000_000 } as const;

/** A full log is cut to a tenth less, so that not every chunk has to drop one. */
export function trimTo(kind: keyof typeof quotas): number {
  return quotas[kind] * 0.9;
}

/** A line's place: its chunk, and its index there. Chunks are numbered in the order of their commits. */
export interface LogPosition {
  readonly chunk_id: number;
  readonly index: number;
}

/** The id of a line; as `offset` it means "what comes after this line", in either order. */
export function lineId({ chunk_id, index }: LogPosition): string {
  return `${chunk_id}-${index}`;
}

/** Throws `invalid` for an offset that no answer contained. */
export function positionOf(offset: string | undefined): LogPosition | undefined {
  if (offset === undefined || offset === '') return undefined;
  const [, chunk_id, index] = /^(\d{1,15})-(\d{1,6})$/.exec(offset) ?? [];
  if (chunk_id === undefined || index === undefined)
    throw new Problem('invalid', 'offset must be a next_offset that this log gave.');
  return { chunk_id: Number(chunk_id), index: Number(index) };
}

export interface PlacedLine<Line> {
  readonly position: LogPosition;
  readonly line: Line;
}

/** The lines of chunks in the order asked for, without those up to and including `after`. */
export function linesAfter<Line>(
  chunks: readonly { readonly id: number; readonly lines: readonly Line[] }[],
  { after, order }: { readonly after: LogPosition | undefined; readonly order: 'asc' | 'desc' },
): PlacedLine<Line>[] {
  return chunks.flatMap(({ id, lines }) => {
    const placed = lines.map((line, index) => ({ position: { chunk_id: id, index }, line }));
    const ordered = order === 'asc' ? placed : placed.reverse();
    if (after?.chunk_id !== id) return ordered;
    return ordered.filter(({ position }) =>
      order === 'asc' ? position.index > after.index : position.index < after.index,
    );
  });
}

/** A filter of lines; an undefined field does not filter. */
export interface LineFilter {
  readonly level?: LogLevel | undefined;
  readonly query?: string | undefined;
  /** In ISO 8601: from `start_time` on, before `end_time`. */
  readonly start_time?: string | undefined;
  readonly end_time?: string | undefined;
}

/** A level, and those more severe. */
export function levelsFrom(level: LogLevel): readonly LogLevel[] {
  return LogLevel.options.slice(LogLevel.options.indexOf(level));
}

/** Builds the predicate of a filter. */
export function passes({ level, query, start_time, end_time }: LineFilter) {
  const levels = level === undefined ? undefined : new Set<string>(levelsFrom(level));
  const text = query?.toLowerCase() ?? '';
  const from = start_time === undefined ? -Infinity : Date.parse(start_time);
  const until = end_time === undefined ? Infinity : Date.parse(end_time);
  return (line: { readonly at: string; readonly level: string; readonly message: string }): boolean => {
    const at = Date.parse(line.at);
    if (at < from || at >= until || levels?.has(line.level) === false) return false;
    return line.message.toLowerCase().includes(text);
  };
}
