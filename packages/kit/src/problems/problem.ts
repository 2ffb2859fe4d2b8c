/** Lists what can go wrong for a caller. The set is closed: each dialect maps every kind. */
export type ProblemKind =
  | 'invalid'
  | 'malformed'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'out_of_range'
  | 'upgrade_required'
  | 'limit'
  | 'internal'
  | 'not_implemented'
  | 'unavailable';

/** One thing wrong with a request, as FastAPI lists them; never holds what was sent. */
export interface Issue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export interface ProblemOptions extends ErrorOptions {
  /** Advice on what to do; one sentence. */
  readonly hint?: string;
  /** With `malformed`: which fields. */
  readonly issues?: readonly Issue[];
  /** Seconds; with `limit` and `unavailable`. */
  readonly retry_after_s?: number;
  /** A machine-readable code, where clients look for one. */
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error for the caller: the message is public, the cause is private. Knows nothing of HTTP. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly kind: ProblemKind;
  readonly hint: string | undefined;
  readonly issues: readonly Issue[];
  readonly retry_after_s: number | undefined;
  readonly code: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(kind: ProblemKind, message: string, options: ProblemOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.hint = options.hint;
    this.issues = options.issues ?? [];
    this.retry_after_s = options.retry_after_s;
    this.code = options.code;
    this.headers = options.headers ?? {};
  }

  /** Message and hint, as one text. */
  get sentence(): string {
    return this.hint === undefined ? this.message : `${this.message} ${this.hint}`;
  }
}

/** A field that has the wrong shape: 422 in the REST dialects. */
export function malformed(loc: readonly (string | number)[], msg: string, type = 'value_error'): Problem {
  return new Problem('malformed', msg, { issues: [{ loc, msg, type }] });
}
