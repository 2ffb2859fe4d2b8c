/**
 * The fields in answers of the original, by the kinds that a value may have. `naive` is a time without an offset,
 * `offset` one with it, `time` either, where no recorded answer decides it.
 */
export interface OriginalAnswer {
  /** The source of these facts. A recorded answer is a stronger source than a published schema. */
  readonly source: string;
  readonly kinds: Kinds;
  /** Fields that only this service has. */
  readonly ours?: string;
}
export type Kinds = Readonly<Record<string, string>>;

export const published = 'the published OpenAPI document of July 2026';
