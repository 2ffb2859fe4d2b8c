import type { Problem } from '@roadstead/kit';

/** The host of a source does not answer as it should: the same may succeed later. */
export class SourceAway extends Error {
  override readonly name = 'SourceAway';
  /** What is said once it was tried long enough. */
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message, { cause: problem });
    this.problem = problem;
  }
}
