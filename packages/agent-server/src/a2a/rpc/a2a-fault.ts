import type { Problem } from '@roadstead/kit';

/** The faults of a call, in both protocol versions; the codecs know how each version writes them. */
export type FaultReason =
  | 'parse_error'
  | 'invalid_request'
  | 'method_not_found'
  | 'invalid_params'
  | 'internal'
  | 'task_not_found'
  | 'task_not_cancelable'
  | 'push_not_supported'
  | 'unsupported_operation'
  | 'content_type_not_supported'
  | 'extended_card_not_configured'
  | 'version_not_supported';

/** JSON-RPC codes (JSON-RPC 2.0 section 5.1, A2A 0.3.0 section 8, A2A 1.0 section 5.4). */
export const faultCodes: Readonly<Record<FaultReason, number>> = {
  parse_error: -32_700,
  invalid_request: -32_600,
  method_not_found: -32_601,
  invalid_params: -32_602,
  internal: -32_603,
  task_not_found: -32_001,
  task_not_cancelable: -32_002,
  push_not_supported: -32_003,
  unsupported_operation: -32_004,
  content_type_not_supported: -32_005,
  extended_card_not_configured: -32_007,
  version_not_supported: -32_009,
};

/** A field of `params` and its fault, never its value. */
export interface FieldFault {
  readonly field: string;
  readonly description: string;
}

/** An error for an A2A caller; its message is public and names the remedy. */
export class A2aFault extends Error {
  override readonly name = 'A2aFault';
  readonly reason: FaultReason;
  readonly fields: readonly FieldFault[];

  constructor(
    reason: FaultReason,
    message: string,
    options: ErrorOptions & { readonly fields?: readonly FieldFault[] } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.fields = options.fields ?? [];
  }
}

/** The fault for one field of `params` that is missing or of the wrong shape. */
export function fieldFault(field: string, description: string): A2aFault {
  return new A2aFault('invalid_params', `${field}: ${description}.`, { fields: [{ field, description }] });
}

/** Another caller's task is reported as missing. */
export function taskNotFound(): A2aFault {
  return new A2aFault('task_not_found', 'There is no such task.');
}

/** Translates a `Problem` of the engine for an A2A caller. */
export function faultOfProblem(problem: Problem): A2aFault {
  return new A2aFault(problemReason(problem), problem.sentence, { cause: problem });
}

function problemReason(problem: Problem): FaultReason {
  switch (problem.kind) {
    case 'invalid':
    case 'malformed':
    case 'too_large':
    case 'out_of_range':
      return 'invalid_params';
    case 'conflict':
    case 'precondition_failed':
    case 'not_implemented':
      return 'unsupported_operation';
    case 'not_found':
      return 'task_not_found';
    case 'unauthenticated':
    case 'forbidden':
    case 'method_not_allowed':
    case 'upgrade_required':
    case 'limit':
    case 'internal':
    case 'unavailable':
      return 'internal';
  }
}
