/** A part of a list: at most `limit` rows, after the first `offset`. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}
