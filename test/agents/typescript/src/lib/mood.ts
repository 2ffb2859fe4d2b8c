/** An enum, which a runtime that only strips types refuses. */
export enum Mood {
  Calm = 'calm',
  Loud = 'loud',
}
