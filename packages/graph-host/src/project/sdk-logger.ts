import { format } from 'node:util';
import type { HostLogLine } from '@roadstead/contracts/host';

/** Where `getLogger` of `@langchain/langgraph-sdk/logging` looks for a logger. */
const SDK_LOGGER = Symbol.for('langgraph.api.sdk-logger');

/** The levels of the SDK's logger, and ours. */
const levels: Readonly<Record<string, HostLogLine['level']>> = {
  error: 'ERROR',
  warn: 'WARNING',
  help: 'INFO',
  data: 'INFO',
  info: 'INFO',
  prompt: 'INFO',
  http: 'INFO',
  input: 'INFO',
  debug: 'DEBUG',
  verbose: 'DEBUG',
  silly: 'DEBUG',
};

/** Gives user code the logger that the SDK promises: its lines go to the deployment's log with their level. */
export function provideSdkLogger(write: (line: HostLogLine) => void): void {
  const logger: Record<string, unknown> = {};
  for (const [name, level] of Object.entries(levels)) {
    logger[name] = (message: unknown, ...meta: unknown[]) => {
      write({ level, message: lineOf(message, meta) });
      return logger;
    };
  }
  (globalThis as Record<symbol, unknown>)[SDK_LOGGER] = logger;
}

/** A message by itself or in an object beside other fields. */
function lineOf(message: unknown, meta: readonly unknown[]): string {
  if (typeof message !== 'object' || message === null || !('message' in message) || message instanceof Error)
    return format(message, ...meta);
  const { message: text, level: _level, ...fields } = message as Record<string, unknown>;
  return format(text, ...(Object.keys(fields).length === 0 ? [] : [fields]), ...meta);
}
