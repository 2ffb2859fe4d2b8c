/** A page of a list that is read by numbers. */
export interface OffsetPage {
  readonly limit: number;
  readonly offset: number;
}

/** A page of a list that is sorted in either direction. */
export interface OrderedPage extends OffsetPage {
  readonly descending: boolean;
}
