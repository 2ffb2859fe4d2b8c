/**
 * What answers of the original hold: the names of fields by the kinds that a value may have. `naive` is a time without an
 * offset, `offset` one with it, `time` either, where no recorded answer tells which.
 */
export interface OriginalAnswer {
  /** Where these facts are from. An answer that somebody recorded is a stronger source than a published schema. */
  readonly source: string;
  readonly kinds: Kinds;
  /** Fields that only this service has. */
  readonly ours?: string;
}
export type Kinds = Readonly<Record<string, string>>;

export const published = 'the published OpenAPI document of July 2026';
