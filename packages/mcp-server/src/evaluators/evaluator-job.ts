/** The messages to and from the thread that runs evaluators. */

export interface EvaluatorJob {
  /** An expression whose value is a function. */
  readonly code: string;
  /** The arguments of the function, as a JSON list; without them it is only checked. */
  readonly given?: string;
}

export type EvaluatorAnswer =
  /** As JSON: `{"result": …}`, without the member where the function returned nothing. */
  { readonly json: string } | { readonly failure: string };
