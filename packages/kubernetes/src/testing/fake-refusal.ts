interface FakeStatus {
  readonly message: string;
  readonly causes?: readonly object[];
  readonly retry_after_s?: number;
}

/** An answer of the API server that is none of success. */
export class FakeRefusal extends Error {
  readonly status: number;
  readonly reason: string;
  readonly causes: readonly object[];
  readonly retry_after_s: number | undefined;

  constructor(status: number, reason: string, { message, causes = [], retry_after_s }: FakeStatus) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.causes = causes;
    this.retry_after_s = retry_after_s;
  }

  get body(): object {
    const { status: code, reason, message, causes, retry_after_s } = this;
    const details = { causes, ...(retry_after_s === undefined ? {} : { retryAfterSeconds: retry_after_s }) };
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      details,
      code,
    };
  }
}
