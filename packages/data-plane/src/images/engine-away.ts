import { Problem } from '@roadstead/kit';

/** The container engine is away: what waits for it is done once it is back, however long that takes. */
export class EngineAway extends Error {
  override readonly name = 'EngineAway';

  constructor(cause: unknown) {
    super('the container engine does not answer', { cause });
  }
}

/** Whether an error says that the engine is away. */
export const isEngineAway = (error: unknown): boolean =>
  error instanceof EngineAway || (error instanceof Problem && error.code === 'engine_away');

/** Tells an engine that is away from what is wrong with an image: nobody but the operator can mend it. */
export function orAway(error: unknown): never {
  throw isEngineAway(error) && !(error instanceof EngineAway) ? new EngineAway(error) : error;
}
