import type { Problem } from '@roadstead/kit';

/** The host of a source does not answer as it should: a retry may succeed later. */
export class SourceAway extends Error {
  override readonly name = 'SourceAway';
  /** The problem to report after enough retries. */
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message, { cause: problem });
    this.problem = problem;
  }
}
