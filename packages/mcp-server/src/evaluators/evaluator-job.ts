/** What is asked of the thread that runs evaluators, and what it answers. */

export interface EvaluatorJob {
  /** An expression that gives a function. */
  readonly code: string;
  /** Of the function, as a JSON list; without, it is only looked at. */
  readonly given?: string;
}

export type EvaluatorAnswer =
  /** As JSON: `{"result": …}`, without a member where the function gave none. */
  { readonly json: string } | { readonly failure: string };
