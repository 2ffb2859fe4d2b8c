import { lineSafe } from './line-safe-rules.ts';

/** JSON lines on standard error: a constant message, data in fields. Never a secret. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log with more fields in each line. */
  with(fields: LogFields): Log;
}

export type LogFields = Readonly<Record<string, unknown>>;
const levels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof levels)[number];

export function createLog(
  options: { level: LogLevel; write?: (line: string) => void },
  fields: LogFields = {},
): Log {
  const write = options.write ?? ((line) => void process.stderr.write(line));
  return logTo((level, message, said) => {
    if (levels.indexOf(level) < levels.indexOf(options.level)) return;
    write(`${lineSafe(JSON.stringify({ time: new Date().toISOString(), level, message, ...said }))}\n`);
  }, fields);
}

/** A log whose lines are written elsewhere; an error in a field is text by then. */
export function logTo(
  say: (level: LogLevel, message: string, fields: LogFields) => void,
  fields: LogFields = {},
): Log {
  const at =
    (level: LogLevel) =>
    (message: string, more: LogFields = {}) =>
      say(level, message, { ...fields, ...plain(more) });
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (more) => logTo(say, { ...fields, ...more }),
  };
}

/** A log that keeps quiet, for tests. */
export const silentLog: Log = createLog({ level: 'error', write: () => undefined });

function plain(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? describeError(value) : value,
    ]),
  );
}

/** An error and its causes as text, for a log. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${describeError(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
