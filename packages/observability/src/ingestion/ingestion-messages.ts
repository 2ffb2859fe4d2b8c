import {
  describeError,
  type Log,
  type LogFields,
  type LogLevel,
  logTo,
  Problem,
  problemOf,
  type ProblemKind,
  type ProblemOptions,
} from '@roadstead/kit';
import type { BlobsPlace } from '@roadstead/blobs';
import type { Allowance } from '../usage/usage-gate.ts';
import type { SentTraces } from './intake-work.ts';

/** The requests to the thread of ingestion and its answers: plain data, which threads can send each other. */

/** The configuration of the thread. */
export interface IngestionWork {
  readonly database_url: string;
  /** Where attachments lie. */
  readonly blobs: BlobsPlace;
  readonly allowance: Allowance;
}

/** The requests, each with its parameters. */
interface Questions {
  readonly take: SentTraces;
  readonly wake: string;
  readonly caughtUp: string;
  readonly forget: string;
  readonly warnings: undefined;
  /** Answered at once. */
  readonly ping: undefined;
  /** Answered when everything accepted is committed and the database is closed. */
  readonly close: undefined;
}

export type Question = {
  readonly [N in keyof Questions]: { readonly name: N; readonly about: Questions[N] };
}[keyof Questions];

/** A request to the thread; each is answered once, by its id. */
export type WorkerRequest = Question & { readonly id: number };

/** A message from the thread. */
export type WorkerMessage =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: Failure }
  | { readonly line: LogLine };

interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

type Failure =
  | { readonly problem: Omit<ProblemOptions, 'cause'> & Record<'kind' | 'message', string> }
  /** An accident: only the log shows it, and the caller learns nothing. */
  | { readonly accident: { readonly message: string; readonly stack: string } };

export function failureOf(error: unknown): Failure {
  const problem = problemOf(error);
  if (problem === undefined) {
    const message = error instanceof Error ? error.message : String(error);
    return { accident: { message, stack: describeError(error) } };
  }
  const { kind, message, hint, issues, retry_after_s, code, headers } = problem;
  return {
    problem: {
      kind,
      message,
      issues,
      headers,
      ...(hint === undefined ? {} : { hint }),
      ...(retry_after_s === undefined ? {} : { retry_after_s }),
      ...(code === undefined ? {} : { code }),
    },
  };
}

/** The original Problem, or an error with the stack of the original one. */
export function errorOf(failure: Failure): Error {
  if ('accident' in failure)
    return Object.assign(new Error(failure.accident.message), { stack: failure.accident.stack });
  const { kind, message, ...options } = failure.problem;
  return new Problem(kind as ProblemKind, message, options);
}

/** A log whose lines are written by the thread that serves. */
export const sendingLog = (send: (line: LogLine) => void): Log =>
  // Some values can be logged but not sent.
  logTo((level, message, fields) =>
    send({ level, message, fields: JSON.parse(JSON.stringify(fields)) as LogFields }),
  );
